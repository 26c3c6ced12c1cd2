/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pipeline file says of itself: name, comment, question. For pipeline.c. */
#ifndef CORE_PIPELINE_FIND_H
#define CORE_PIPELINE_FIND_H

/* All are malloc'd; NULL: no memory. */
char *find_name(const char *path); /* "configs/iostat.yaml": "iostat" */
char *find_doc(const char *yaml);  /* the first comment, without "#"; may be "" */
char *
find_question(const char *doc); /* up to its last "?" in the first paragraph, or its first line */

#endif
