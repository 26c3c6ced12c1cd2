/* SPDX-License-Identifier: BSD-2-Clause */
/* One entry of the section `params`. For param.c. */
#ifndef CORE_PARAM_DECLARE_H
#define CORE_PARAM_DECLARE_H

#include "pipeline.h"

/* Fills a parameter, whose name is set, from its declaration. All errors go to `diag`. */
int param_declare(struct param *param, const struct tree *item, struct diag *diag);

/* Whether a value is right for the parameter's type; if not, the error is at `place`. */
int param_check(const struct param *param, const char *value, const struct place *place,
		struct diag *diag);

/* "string", "duration": as in `type`. */
const char *param_type_name(enum param_type type);

#endif
