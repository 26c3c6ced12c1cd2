/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the command line that are no parameters of the pipeline: what the sink that ${format}
 * placed can be told. Which sink that is, is known when the graph is made; until then they are kept.
 */
#ifndef CORE_EXTRA_H
#define CORE_EXTRA_H

#include <weir/component.h>

#include "pipeline.h"

/* Whether the pipeline has a sink by ${format}: others take no such options. */
bool extras_wanted(const struct pipeline *pipeline);

/* Keeps one; texts are copied. 0 or -ENOMEM. */
int extra_add(struct pipeline *pipeline, const struct extra *extra);
void extras_free(struct pipeline *pipeline);

/* Those that the component has go into the node's options, in place of what stands there. */
int extras_give(const struct pipeline *pipeline, const struct weir_component *component,
		struct tree *options);

/*
 * What a sink by ${format} is told in the pipeline is meant for its usual format, `usual`: another one, which
 * has no such option, does without.
 */
void extras_forgive(const struct weir_component *component, const struct weir_component *usual,
		    struct tree *options);

/* An error for each that no sink has taken. 0 or -EINVAL. */
int extras_check(const struct pipeline *pipeline, struct diag *diag);

/* "has no option --x; did you mean --y?": reports it. -EINVAL. */
int extra_unknown(const struct pipeline *pipeline, const char *name, const char *written,
		  const struct place *place, struct diag *diag);

#endif
