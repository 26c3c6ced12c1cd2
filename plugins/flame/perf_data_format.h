/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of perf.data, for who reads it and who writes it. */
#ifndef FLAME_PERF_DATA_FORMAT_H
#define FLAME_PERF_DATA_FORMAT_H

#include <linux/perf_event.h>

#include <weir/plugin.h>

/* Records of perf, not of the kernel; and what newer kernels have than the build's headers. */
enum perf_data_type {
	PERF_DATA_MMAP = 1,
	PERF_DATA_LOST = 2,
	PERF_DATA_COMM = 3,
	PERF_DATA_EXIT = 4,
	PERF_DATA_THROTTLE = 5,
	PERF_DATA_FORK = 7,
	PERF_DATA_SAMPLE = 9,
	PERF_DATA_MMAP2 = 10,
	PERF_DATA_LOST_SAMPLES = 13,
	PERF_DATA_KSYMBOL = 17,
	PERF_DATA_CALLCHAIN_DEFERRED = 22, /* Linux 6.19 */
	PERF_DATA_ATTR = 64,
	PERF_DATA_TRACING_DATA = 66,
	PERF_DATA_BUILD_ID = 67,
	PERF_DATA_FINISHED_ROUND = 68,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_FEATURE = 80,
	PERF_DATA_COMPRESSED = 81,
	PERF_DATA_COMPRESSED2 = 83,
};

enum {
	PERF_DATA_FEATURES = 256, /* bits */
	PERF_DATA_RECORD = 8,     /* bytes of a record's header: type, misc, size */
	PERF_DATA_MAGIC = 8,
	PERF_DATA_BUILD_ID_MAX = 20,
	PERF_DATA_CPUMODE = 7, /* of a record's misc */
	PERF_DATA_CPU_KERNEL = 1,
	PERF_DATA_CPU_USER = 2,
};

#define PERF_DATA_FILE      UINT64_C(0x32454c4946524550) /* "PERFILE2", little-endian */
#define PERF_DATA_FILE_1    UINT64_C(0x454c494646524550) /* "PERFFILE" */
#define PERF_DATA_HEADER    104                          /* bytes, in file mode */
#define PERF_DATA_PIPE      16                           /* in pipe mode */
#define PERF_DATA_MISC_EXEC (1u << 13)                   /* COMM; of a MMAP: no code */
#define PERF_DATA_MISC_ID   (1u << 14)                   /* MMAP2: has its build-id */
/* The topmost values of a call chain are no addresses: they say whose the next ones are. */
#define PERF_DATA_CHAIN_MARK     ((uint64_t)-4095)
#define PERF_DATA_CHAIN_KERNEL   ((uint64_t)-128)
#define PERF_DATA_CHAIN_USER     ((uint64_t)-512)
#define PERF_DATA_CHAIN_DEFERRED ((uint64_t)-640) /* a number follows, the user part later */

#define PERF_DATA_MISC_SIZE (1u << 15) /* BUILD_ID: has its size */

/* Features, by their bit. */
enum perf_data_feature {
	PERF_DATA_F_BUILD_ID = 2,
	PERF_DATA_F_HOSTNAME = 3,
	PERF_DATA_F_OSRELEASE = 4,
	PERF_DATA_F_ARCH = 6,
	PERF_DATA_F_EVENT_DESC = 12,
};

#endif
