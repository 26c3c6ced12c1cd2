/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks a disk for its health pages. */
#ifndef DISK_HEALTH_DEVICE_H
#define DISK_HEALTH_DEVICE_H

#include "health_page.h"

enum { HEALTH_SENSE_SIZE = 64 };

struct health_answer {
	uint8_t page[HEALTH_PAGE_SIZE];
	uint8_t sense
		[HEALTH_SENSE_SIZE]; /* of ATA's SMART RETURN STATUS; zeroes: it is not known */
};

/*
 * Ask the device behind an open fd. A regular file, part of a recorded tree, holds the answer: the
 * page, and the sense data behind it where there is any. 0 or a negative errno: -ENOTSUP where the
 * device knows no such page.
 */
int health_ask_nvme(int fd, struct health_answer *answer);
int health_ask_ata(int fd, struct health_answer *answer);

#endif
