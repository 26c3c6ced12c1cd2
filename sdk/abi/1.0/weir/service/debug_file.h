/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service "debug_file/1": debug files that are not on this machine, by build-id. Whoever asks looks
 * below /usr/lib/debug first.
 */
#ifndef WEIR_SERVICE_DEBUG_FILE_H
#define WEIR_SERVICE_DEBUG_FILE_H

#include "../component.h"

#define WEIR_DEBUG_FILE_SERVICE "debug_file"
#define WEIR_DEBUG_FILE_VERSION 1

struct weir_debug_file_v1 {
	uint32_t size;
	uint32_t reserved;
	/*
	 * loop: the debug file with that build-id, whose fd is the caller's. -ENOENT: there is none;
	 * another negative errno after having said why. May wait for a network, but not for long. The
	 * file comes from strangers: what is read of it is to be checked as if it could be any.
	 */
	int (*open)(struct weir_ctx *self, const uint8_t *build_id, uint32_t build_id_size);
};

#endif
