/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages in which disks tell their health: "SMART / Health Information" of the NVMe base
 * specification, SMART READ DATA and SMART RETURN STATUS of ATA/ATAPI command sets, and the
 * registers in sense data as SCSI/ATA Translation (SAT) lays them out.
 */
#include <string.h>

#include "health_page.h"

static uint64_t health_little(const uint8_t *bytes, size_t count)
{
	uint64_t number = 0;

	while (count--)
		number = number << 8 | bytes[count];
	return number;
}

static uint64_t health_wide(const uint8_t *bytes)
{
	uint64_t low = health_little(bytes, 8);

	return health_little(bytes + 8, 8) || low == UINT64_MAX ? UINT64_MAX - 1 : low;
}

void health_parse_nvme(const uint8_t page[HEALTH_PAGE_SIZE], struct health_nvme *health)
{
	health->critical_warning = page[0];
	health->kelvin = (uint16_t)health_little(page + 1, 2);
	health->spare = page[3];
	health->spare_threshold = page[4];
	health->used = page[5];
	health->power_on_hours = health_wide(page + 128);
	health->unsafe_shutdowns = health_wide(page + 144);
	health->media_errors = health_wide(page + 160);
	health->error_log_entries = health_wide(page + 176);
}

/* 30 entries of 12 bytes: number, flags (2), value, worst value, raw (6), reserved. */
enum { ENTRIES_AT = 2, ENTRIES = 30, ENTRY_SIZE = 12, RAW_AT = 5 };

/* Vendors keep other things in the upper bytes of some raw values. */
static const struct {
	uint8_t number;
	uint8_t raw_bytes;
} health_attributes[ATA_ATTRIBUTES] = {
	[ATA_REALLOCATED] = { 5, 2 },     [ATA_POWER_ON_HOURS] = { 9, 3 },
	[ATA_UNCORRECTABLE] = { 187, 4 }, [ATA_TIMEOUTS] = { 188, 2 },
	[ATA_TEMPERATURE] = { 194, 1 },   [ATA_PENDING] = { 197, 4 },
	[ATA_OFFLINE] = { 198, 4 },       [ATA_INTERFACE_ERRORS] = { 199, 4 },
};

bool health_parse_ata(const uint8_t page[HEALTH_PAGE_SIZE], uint64_t values[ATA_ATTRIBUTES])
{
	uint8_t sum = 0;

	for (size_t i = 0; i < HEALTH_PAGE_SIZE; i++)
		sum = (uint8_t)(sum + page[i]);
	for (int i = 0; i < ATA_ATTRIBUTES; i++)
		values[i] = UINT64_MAX;
	if (sum != 0)
		return false;
	for (size_t i = 0; i < ENTRIES; i++) {
		const uint8_t *entry = page + ENTRIES_AT + i * ENTRY_SIZE;

		for (int j = 0; j < ATA_ATTRIBUTES; j++)
			if (entry[0] == health_attributes[j].number)
				values[j] = health_little(entry + RAW_AT,
							  health_attributes[j].raw_bytes);
	}
	return true;
}

static enum health_verdict health_registers(uint8_t middle, uint8_t high)
{
	if (middle == 0x4f && high == 0xc2)
		return HEALTH_PASSED;
	return middle == 0xf4 && high == 0x2c ? HEALTH_FAILING : HEALTH_UNKNOWN;
}

/* Descriptors, among them the one of ATA status (09h): 14 bytes. */
static enum health_verdict health_descriptors(const uint8_t *sense, size_t size)
{
	size_t end = 8 + (size_t)sense[7];

	if (end > size)
		end = size;
	for (size_t at = 8; at + 2 <= end; at += 2 + (size_t)sense[at + 1])
		if (sense[at] == 0x09 && at + 14 <= end)
			return health_registers(sense[at + 9], sense[at + 11]);
	return HEALTH_UNKNOWN;
}

enum health_verdict health_parse_status(const uint8_t *sense, size_t size)
{
	uint8_t code = size >= 12 ? sense[0] & 0x7f : 0;

	if (code == 0x72)
		return health_descriptors(sense, size);
	return code == 0x70 ? health_registers(sense[10], sense[11]) : HEALTH_UNKNOWN;
}
