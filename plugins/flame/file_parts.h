/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that read later parts of a large file, while the loop reads the first one. Each has its own
 * names and merged samples; the loop sends them, so that memory stays bounded.
 */
#ifndef FLAME_FILE_PARTS_H
#define FLAME_FILE_PARTS_H

#include "file_reader.h"

struct file_parts;

/*
 * Begins them, where the input can be read from anywhere, the format from such a place on, and the
 * order of rows is no matter: file->parts stays NULL where not. 0, or a negative errno after having
 * failed.
 */
int file_parts_begin(struct file *file);

/* Ready when a part has something to send. */
int file_parts_fd(const struct file_parts *parts);

/*
 * Sends what is due. 1: some still read; 0: all is sent, and their counts are file's; -EAGAIN: a
 * queue is full; another negative errno after having failed.
 */
int file_parts_send(struct file *file);

/* Ends the threads; what they have merged can still be sent. */
void file_parts_stop(struct file_parts *parts); /* NULL is allowed */
void file_parts_free(struct file_parts *parts); /* NULL is allowed */

#endif
