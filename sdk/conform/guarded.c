/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes end where a page does, and the next page is nobody's. */
#include "guarded.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages for that many bytes. */
static size_t whole_pages(size_t size)
{
	return (size + page_size() - 1) / page_size() * page_size();
}

void *guarded_new(size_t size)
{
	const size_t room = whole_pages(size);
	uint8_t *pages = mmap(NULL, room + page_size(), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	if (mprotect(pages + room, page_size(), PROT_NONE) < 0) {
		munmap(pages, room + page_size());
		return NULL;
	}
	return pages + room - size;
}

void guarded_free(void *memory, size_t size)
{
	if (memory)
		munmap((uint8_t *)memory + size - whole_pages(size),
		       whole_pages(size) + page_size());
}
