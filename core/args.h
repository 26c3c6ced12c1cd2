/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a pipeline: --name value, --name=value, --no-name, words by position. */
#ifndef CORE_ARGS_H
#define CORE_ARGS_H

#include "pipeline.h"

/*
 * Sets pipeline->params and run.command from what follows the pipeline's name, in any order; of a
 * parameter that is given twice the last value holds. All errors go to `diag`, with the place in a text
 * "command line". 0 or a negative errno.
 */
int args_read(struct pipeline *pipeline, int argc, char **argv, struct diag *diag);

#endif
