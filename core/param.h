/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of a pipeline: those that it declares and those that every pipeline has. */
#ifndef CORE_PARAM_H
#define CORE_PARAM_H

#include <weir/option.h>

#include "pipeline.h"

/* Reads the section `params` (NULL: none) and adds the built-in ones. */
int params_read(struct pipeline *pipeline, const struct tree *section, struct diag *diag);
void params_free(struct pipeline *pipeline);

/* The parameter of that name, or NULL. */
struct param *param_find(const struct pipeline *pipeline, const char *name);

/* The name that was probably meant, or NULL. */
const char *param_nearest(const struct pipeline *pipeline, const char *name);

/* Sets the value that the command line gives, after a check by the type. */
int param_set(struct param *param, const char *value, const struct place *place, struct diag *diag);

/* A text that the parameter's type takes, for who only looks: malloc'd, or NULL: no memory. */
char *param_stand_in(const struct param *param);

/* What holds: the value, else the default; NULL: neither. */
const char *param_value(const struct param *param);

/* The parameter as an option: how its text is checked and described. */
struct weir_option param_option(const struct param *param);

/* Fills pipeline->run from the built-in ones. 0 or -ENOMEM. */
int params_run(struct pipeline *pipeline);

#endif
