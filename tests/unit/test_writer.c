/* SPDX-License-Identifier: BSD-2-Clause */
/* Writers: whole or not at all, first error kept, every kind of target. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer.h"

#include <cmocka.h>

struct owner {
	int error;
	uint32_t failures;
	bool closed;
	bool give_up;
	char text[256];
};

static void owner_fail(void *arg, int error, bool closed, const char *text)
{
	struct owner *owner = arg;

	owner->error = error;
	owner->closed = closed;
	owner->failures++;
	snprintf(owner->text, sizeof(owner->text), "%s", text);
}

static bool owner_give_up(void *arg)
{
	return ((struct owner *)arg)->give_up;
}

static char folder[] = "/tmp/weir-writer.XXXXXX";
static char path[64];
static struct owner owner;
static struct writer_owner calls = { &owner, owner_fail, owner_give_up };

static int begin(void **state)
{
	(void)state;
	owner = (struct owner){ 0 };
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

/* How many files are in the folder. Removes them with `clean`. */
static int files(bool clean)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (clean)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	return count;
}

static int end(void **state)
{
	(void)state;
	files(true);
	return rmdir(folder);
}

static void assert_content(const char *name, const char *expected)
{
	char content[64] = "";
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, content, sizeof(content) - 1), strlen(expected));
	assert_string_equal(content, expected);
	close(fd);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	fputs(text, file);
	fclose(file);
}

static void a_file_is_replaced_and_written(void **state)
{
	struct weir_writer *writer;

	(void)state;
	put(path, "something longer that was there");
	writer = writer_open(path, 0, &calls);
	assert_int_equal(writer_write(writer, "abc", 3), 0);
	assert_content(path, "");
	assert_int_equal(writer_flush(writer), 0);
	assert_content(path, "abc");
	assert_int_equal(writer_columns(writer), 0);
	assert_int_equal(writer_color(writer), 0);
	assert_int_equal(writer_close(writer, 0), 0);
	assert_content(path, "abc");
	assert_int_equal(writer_close(NULL, 1), 0);
}

static void a_whole_file_appears_at_close_or_not_at_all(void **state)
{
	struct weir_writer *writer;
	struct stat made;

	(void)state;
	put(path, "old");
	writer = writer_open(path, WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "new", 3);
	writer_flush(writer);
	assert_content(path, "old");
	assert_int_equal(writer_close(writer, 0), 0);
	assert_content(path, "old");
	assert_int_equal(files(false), 1);
	writer = writer_open(path, WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "new", 3);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_content(path, "new");
	assert_int_equal(files(false), 1);
	assert_int_equal(stat(path, &made), 0);
	assert_true(made.st_mode & S_IRUSR);
}

static void what_was_written_can_be_written_over_in_a_file_only(void **state)
{
	struct weir_writer *writer = writer_open(path, 0, &calls);

	(void)state;
	assert_int_equal(writer_patch(writer, 0, NULL, 0), 0);
	writer_write(writer, "----, then all", 14);
	assert_int_equal(writer_patch(writer, 0, "head", 4), 0);
	writer_write(writer, " the rest", 9);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_content(path, "head, then all the rest");
	writer = writer_open("-", 0, &calls);
	assert_int_equal(writer_patch(writer, 0, NULL, 0), -ESPIPE);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_int_equal(owner.failures, 0);
}

static void a_link_stays_a_link(void **state)
{
	struct weir_writer *writer;
	struct stat there;
	char link_path[80];

	(void)state;
	put(path, "old");
	snprintf(link_path, sizeof(link_path), "%s/link", folder);
	assert_int_equal(symlink("out", link_path), 0);
	writer = writer_open(link_path, WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "new", 3);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_int_equal(lstat(link_path, &there), 0);
	assert_true(S_ISLNK(there.st_mode));
	assert_content(path, "new");
}

static void what_is_begun_leaves_nothing_behind_when_weir_is_killed(void **state)
{
	struct weir_writer *writer;

	(void)state;
	writer = writer_open(path, WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "new", 3);
	assert_int_equal(files(false), 0);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_content(path, "new");
}

static void a_replaced_file_keeps_its_mode(void **state)
{
	struct weir_writer *writer;
	struct stat made;

	(void)state;
	put(path, "old");
	assert_int_equal(chmod(path, 0640), 0);
	writer = writer_open(path, WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "new", 3);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_int_equal(stat(path, &made), 0);
	assert_int_equal(made.st_mode & 0777, 0640);
	assert_content(path, "new");
}

static void large_and_small_writes_keep_their_order(void **state)
{
	static char large[200000];
	struct weir_writer *writer;
	struct stat made;

	(void)state;
	memset(large, 'x', sizeof(large));
	for (uint32_t flags = 0; flags <= WEIR_WRITE_WHOLE; flags += WEIR_WRITE_WHOLE) {
		writer = writer_open(path, flags, &calls);
		for (int i = 0; i < 30000; i++)
			writer_write(writer, "abc", 3);
		writer_write(writer, large, sizeof(large));
		writer_write(writer, "end", 3);
		assert_int_equal(writer_close(writer, 1), 0);
		assert_int_equal(stat(path, &made), 0);
		assert_int_equal(made.st_size, 90000 + 200000 + 3);
	}
}

static void a_full_disk_is_told_once_and_sticks(void **state)
{
	struct weir_writer *writer = writer_open("/dev/full", 0, &calls);

	(void)state;
	assert_int_equal(writer_write(writer, "abc", 3), 0);
	assert_int_equal(writer_flush(writer), -ENOSPC);
	assert_int_equal(writer_write(writer, "abc", 3), -ENOSPC);
	assert_int_equal(writer_close(writer, 1), -ENOSPC);
	assert_int_equal(owner.failures, 1);
	assert_string_equal(owner.text, "write /dev/full");
	assert_false(owner.closed);
}

static void a_path_that_cannot_be_opened_is_named(void **state)
{
	(void)state;
	assert_null(writer_open("/no/such/folder/x", 0, &calls));
	assert_int_equal(owner.error, -ENOENT);
	assert_string_equal(owner.text, "open /no/such/folder/x");
	assert_null(writer_open("/no/such/folder/x", WEIR_WRITE_WHOLE, &calls));
	assert_null(writer_open(folder, WEIR_WRITE_WHOLE, &calls));
	assert_int_equal(owner.failures, 3);
}

static void stdout_is_written_at_close_when_whole_and_its_end_is_seen(void **state)
{
	int ends[2], saved = dup(STDOUT_FILENO);
	struct weir_writer *writer;
	char got[8] = "";

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	dup2(ends[1], STDOUT_FILENO);
	writer = writer_open("-", WEIR_WRITE_WHOLE, &calls);
	writer_write(writer, "abc", 3);
	writer_flush(writer);
	assert_int_equal(read(ends[0], got, 8), -1);
	assert_int_equal(writer_close(writer, 1), 0);
	assert_int_equal(read(ends[0], got, 8), 3);
	close(ends[0]);
	writer = writer_open("-", 0, &calls);
	writer_write(writer, "abc", 3);
	assert_int_equal(writer_close(writer, 1), -EPIPE);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(ends[1]);
	assert_true(owner.closed);
}

/* Interrupts the main thread until it has noticed: the signal may come too early. */
static pthread_t writing;
static bool noticed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void ignore_signal(int number)
{
	(void)number;
}

static void *interrupt(void *arg)
{
	bool over = false;

	(void)arg;
	while (!over) {
		pthread_kill(writing, SIGURG);
		sched_yield();
		pthread_mutex_lock(&lock);
		over = noticed;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void a_fifo_without_reader_gives_up_when_interrupted(void **state)
{
	struct sigaction action = { .sa_handler = ignore_signal };
	struct weir_writer *writer;
	pthread_t company;

	(void)state;
	sigaction(SIGURG, &action, NULL);
	assert_int_equal(mkfifo(path, 0600), 0);
	owner.give_up = true;
	writing = pthread_self();
	pthread_create(&company, NULL, interrupt, NULL);
	writer = writer_open(path, 0, &calls);
	pthread_mutex_lock(&lock);
	noticed = true;
	pthread_mutex_unlock(&lock);
	pthread_join(company, NULL);
	assert_null(writer);
	assert_int_equal(owner.error, -EINTR);
}

int main(void)
{
#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_replaced_and_written),
		TEST(a_whole_file_appears_at_close_or_not_at_all),
		TEST(what_was_written_can_be_written_over_in_a_file_only),
		TEST(a_link_stays_a_link),
		TEST(what_is_begun_leaves_nothing_behind_when_weir_is_killed),
		TEST(a_replaced_file_keeps_its_mode),
		TEST(large_and_small_writes_keep_their_order),
		TEST(a_full_disk_is_told_once_and_sticks),
		TEST(a_path_that_cannot_be_opened_is_named),
		TEST(stdout_is_written_at_close_when_whole_and_its_end_is_seen),
		TEST(a_fifo_without_reader_gives_up_when_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
