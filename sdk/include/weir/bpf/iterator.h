/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User side: runs a BPF iterator (a program on iter/task and its like) once over everything there
 * is, of which it writes nothing to its file.
 *
 *	err = weir_bpf_iterate(skeleton->links.walk_fd);
 */
#ifndef WEIR_BPF_ITERATOR_H
#define WEIR_BPF_ITERATOR_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/skel_internal.h>

/* `link`: of the attached program, which may be iterated again and again. 0 or a negative errno. */
static inline int weir_bpf_iterate(int link)
{
	union bpf_attr attr;
	char nothing[64];
	ssize_t got;
	int fd, err;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (unsigned int)link;
	fd = skel_sys_bpf(BPF_ITER_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	do
		got = read(fd, nothing, sizeof(nothing));
	while (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
	err = got < 0 ? -errno : 0;
	close(fd);
	return err;
}

#endif
