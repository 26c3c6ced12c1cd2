/* SPDX-License-Identifier: BSD-2-Clause */
/* Health pages made by hand: each value stands where its specification puts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "health_page.h"

#include <cmocka.h>

static void a_page_of_nvme_is_read(void **state)
{
	uint8_t page[HEALTH_PAGE_SIZE] = { 0 };
	struct health_nvme health;

	(void)state;
	page[0] = 0x04;                 /* reliability is degraded */
	page[1] = 0x41, page[2] = 0x01; /* 321 K */
	page[3] = 97;
	page[4] = 10;
	page[5] = 120;
	page[128] = 0x10, page[129] = 0x27; /* 10,000 h */
	page[144] = 7;
	page[160] = 1, page[167] = 1; /* 2^56 + 1 */
	page[176] = 5, page[184] = 1; /* more than 64 bits */
	health_parse_nvme(page, &health);
	assert_int_equal(health.critical_warning, 4);
	assert_int_equal(health.kelvin, 321);
	assert_int_equal(health.spare, 97);
	assert_int_equal(health.spare_threshold, 10);
	assert_int_equal(health.used, 120);
	assert_int_equal(health.power_on_hours, 10000);
	assert_int_equal(health.unsafe_shutdowns, 7);
	assert_true(health.media_errors == (UINT64_C(1) << 56) + 1);
	assert_true(health.error_log_entries == UINT64_MAX - 1);
}

static void set_attribute(uint8_t *page, int entry, uint8_t number, uint64_t raw)
{
	uint8_t *at = page + 2 + entry * 12;

	at[0] = number;
	for (int i = 0; i < 6; i++)
		at[5 + i] = (uint8_t)(raw >> (8 * i));
}

static void seal(uint8_t *page)
{
	uint8_t sum = 0;

	for (int i = 0; i < HEALTH_PAGE_SIZE - 1; i++)
		sum = (uint8_t)(sum + page[i]);
	page[HEALTH_PAGE_SIZE - 1] = (uint8_t)-sum;
}

static void attributes_of_ata_are_read(void **state)
{
	uint8_t page[HEALTH_PAGE_SIZE] = { 0x10 };
	uint64_t values[ATA_ATTRIBUTES];

	(void)state;
	set_attribute(page, 0, 1, 0xffffffffffff);
	set_attribute(page, 1, 5, 24);
	set_attribute(page, 2, 9, 0x7b0000002710); /* minutes above the hours */
	set_attribute(page, 3, 187, 3);
	set_attribute(page, 4, 188, 0x000100020005); /* three counters in one */
	set_attribute(page, 5, 194, 0x002d00120023); /* worst, best, now: 35 */
	set_attribute(page, 28, 197, 8);
	set_attribute(page, 29, 199, 70000);
	seal(page);
	assert_true(health_parse_ata(page, values));
	assert_int_equal(values[ATA_REALLOCATED], 24);
	assert_int_equal(values[ATA_POWER_ON_HOURS], 10000);
	assert_int_equal(values[ATA_UNCORRECTABLE], 3);
	assert_int_equal(values[ATA_TIMEOUTS], 5);
	assert_int_equal(values[ATA_TEMPERATURE], 35);
	assert_int_equal(values[ATA_PENDING], 8);
	assert_true(values[ATA_OFFLINE] == UINT64_MAX);
	assert_int_equal(values[ATA_INTERFACE_ERRORS], 70000);
	page[7]++;
	assert_false(health_parse_ata(page, values));
	assert_true(values[ATA_REALLOCATED] == UINT64_MAX);
}

static void the_disks_own_verdict_is_read_from_either_format(void **state)
{
	uint8_t descriptor[22] = { 0x72, 0x01, 0x00, 0x1d, 0, 0, 0, 14, 0x09, 0x0c };
	uint8_t fixed[18] = { 0x70, 0, 0x01, 0, 0x50, 0, 0, 10 };

	(void)state;
	descriptor[17] = 0x4f, descriptor[19] = 0xc2;
	assert_int_equal(health_parse_status(descriptor, sizeof(descriptor)), HEALTH_PASSED);
	descriptor[17] = 0xf4, descriptor[19] = 0x2c;
	assert_int_equal(health_parse_status(descriptor, sizeof(descriptor)), HEALTH_FAILING);
	assert_int_equal(health_parse_status(descriptor, sizeof(descriptor) - 1), HEALTH_UNKNOWN);
	descriptor[8] = 0x00;
	assert_int_equal(health_parse_status(descriptor, sizeof(descriptor)), HEALTH_UNKNOWN);
	fixed[10] = 0x4f, fixed[11] = 0xc2;
	assert_int_equal(health_parse_status(fixed, sizeof(fixed)), HEALTH_PASSED);
	fixed[10] = 0xf4, fixed[11] = 0x2c;
	assert_int_equal(health_parse_status(fixed, sizeof(fixed)), HEALTH_FAILING);
	assert_int_equal(health_parse_status(fixed, 11), HEALTH_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_of_nvme_is_read),
		cmocka_unit_test(attributes_of_ata_are_read),
		cmocka_unit_test(the_disks_own_verdict_is_read_from_either_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
