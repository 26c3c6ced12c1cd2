/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages in which disks tell their health. Pure functions over bytes. */
#ifndef DISK_HEALTH_PAGE_H
#define DISK_HEALTH_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEALTH_PAGE_SIZE 512

/* Log page 02h of NVMe, as far as it is read. Counters of 128 bits end at UINT64_MAX - 1. */
struct health_nvme {
	uint8_t critical_warning;
	uint16_t kelvin;
	uint8_t spare;           /* percent left */
	uint8_t spare_threshold; /* percent */
	uint8_t used;            /* percent of the rated life; may exceed 100 */
	uint64_t power_on_hours;
	uint64_t unsafe_shutdowns;
	uint64_t media_errors;
	uint64_t error_log_entries;
};

void health_parse_nvme(const uint8_t page[HEALTH_PAGE_SIZE], struct health_nvme *health);

/* Attributes of ATA SMART; raw values, absent (UINT64_MAX) where the disk does not have them. */
enum health_attribute {
	ATA_REALLOCATED,      /* 5 */
	ATA_POWER_ON_HOURS,   /* 9 */
	ATA_UNCORRECTABLE,    /* 187 */
	ATA_TIMEOUTS,         /* 188 */
	ATA_TEMPERATURE,      /* 194, degrees Celsius */
	ATA_PENDING,          /* 197 */
	ATA_OFFLINE,          /* 198 */
	ATA_INTERFACE_ERRORS, /* 199 */
	ATA_ATTRIBUTES
};

/* SMART READ DATA. False: the page's sum is not 0, so that none of it is to be believed. */
bool health_parse_ata(const uint8_t page[HEALTH_PAGE_SIZE], uint64_t values[ATA_ATTRIBUTES]);

enum health_verdict { HEALTH_UNKNOWN, HEALTH_PASSED, HEALTH_FAILING };

/* What SMART RETURN STATUS answered: the registers, in sense data of either format. */
enum health_verdict health_parse_status(const uint8_t *sense, size_t size);

#endif
