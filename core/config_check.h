/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at a text before the YAML parser does. For config.c. */
#ifndef CORE_CONFIG_CHECK_H
#define CORE_CONFIG_CHECK_H

#include "diag.h"

/* 0, or -EINVAL with an error at the first byte that has no place in a configuration. */
int config_check(const struct diag_text *text, struct diag *diag);

#endif
