/* SPDX-License-Identifier: BSD-2-Clause */
/* The page cache's structures, as far as weir's BPF programs read them: see kernel.h. */
#ifndef WEIR_BPF_KERNEL_PAGE_H
#define WEIR_BPF_KERNEL_PAGE_H

#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel_file.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct folio {
	struct address_space *mapping;
	unsigned long index;    /* in pages, of the file */
	unsigned long _flags_1; /* of more than one page: the low 8 bits are its order */
};

/* Where the order was before Linux 6.6. */
struct folio___order {
	unsigned char _folio_order;
};

#pragma clang attribute pop

enum pageflags {
	PG_head = 100, /* of more than one page */
};

/* The size of the file that is mapped. An address_space is described as that of an inode. */
static __always_inline __u64 weir_mapping_size(struct address_space *mapping)
{
	struct inode *host = 0;

	bpf_probe_read_kernel(
		&host, sizeof(host),
		(char *)mapping + (bpf_core_field_offset(struct bdev_inode, vfs_inode.i_data.host) -
				   bpf_core_field_offset(struct bdev_inode, vfs_inode.i_data)));
	return BPF_CORE_READ(weir_inode_in(host), vfs_inode.i_size);
}

/* How many pages a folio has. Its flags are its first word, of a type that changed in Linux 6.18. */
static __always_inline __u64 weir_folio_pages(struct folio *folio)
{
	struct folio___order *old = (struct folio___order *)folio;
	unsigned long flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	if (!(flags & 1UL << bpf_core_enum_value(enum pageflags, PG_head)))
		return 1;
	if (bpf_core_field_exists(old->_folio_order))
		return 1ULL << (BPF_CORE_READ(old, _folio_order) & 31);
	return 1ULL << (BPF_CORE_READ(folio, _flags_1) & 31);
}

#endif
