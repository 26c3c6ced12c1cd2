/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a configuration file that somebody else may have prepared. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

enum { CONFIG_BYTES_MAX = 1 << 20 };

/* Who ran sudo, or root. */
static uid_t invoking_user(void)
{
	const char *text = getenv("SUDO_UID");
	char *end;
	unsigned long uid;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	uid = strtoul(text, &end, 10);
	return errno || *end || uid >= (uid_t)-1 ? 0 : (uid_t)uid;
}

/* Root obeys only files that root, or who called it, wrote. */
static int check_trust(const char *path, const struct stat *stat, struct diag *diag)
{
	if (geteuid() != 0)
		return 0;
	if (stat->st_uid != 0 && stat->st_uid != invoking_user())
		return diag_error(
			diag, NULL,
			"%s: belongs to user %u, and weir runs as root: read it, then give "
			"it on standard input, or chown it",
			path, stat->st_uid);
	if (stat->st_mode & S_IWOTH)
		return diag_error(diag, NULL,
				  "%s: everybody can write it, and weir runs as root: "
				  "chmod o-w it",
				  path);
	return 0;
}

static int check_file(int fd, const char *path, struct diag *diag)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return diag_error(diag, NULL, "%s: %s", path, strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return diag_error(diag, NULL, "%s: not a regular file", path);
	return check_trust(path, &stat, diag);
}

/* All bytes of fd, closed by NUL. malloc'd; NULL with an error in `diag`. */
static char *read_all(int fd, const char *path, struct diag *diag, size_t *size)
{
	char *bytes = malloc(CONFIG_BYTES_MAX + 1);
	ssize_t n = 1;

	if (!bytes) {
		diag_error(diag, NULL, "%s: no memory", path);
		return NULL;
	}
	for (*size = 0; n > 0 && *size <= CONFIG_BYTES_MAX;) {
		n = TEMP_FAILURE_RETRY(read(fd, bytes + *size, CONFIG_BYTES_MAX + 1 - *size));
		if (n > 0)
			*size += (size_t)n;
	}
	if (n == 0) {
		bytes[*size] = '\0';
		return bytes;
	}
	diag_error(diag, NULL, "%s: %s", path,
		   n < 0 ? strerror(errno) : "larger than 1 MiB: this is no pipeline");
	free(bytes);
	return NULL;
}

/* Takes over the bytes. */
static int keep(const char *name, char *bytes, size_t size, struct diag *diag,
		const struct diag_text **text)
{
	char *fitting = realloc(bytes, size + 1);

	*text = diag_add_text(diag, name, fitting ? fitting : bytes, size);
	if (*text)
		return 0;
	diag_error(diag, NULL, "%s: no memory", name);
	return -ENOMEM;
}

static int read_fd(int fd, const char *name, struct diag *diag, const struct diag_text **text)
{
	size_t size;
	char *bytes = read_all(fd, name, diag, &size);

	return bytes ? keep(name, bytes, size, diag, text) : -EINVAL;
}

int config_read(const char *path, struct diag *diag, const struct diag_text **text)
{
	int fd;
	int err;

	*text = NULL;
	if (strcmp(path, "-") == 0)
		return read_fd(STDIN_FILENO, "standard input", diag, text);
	/* O_NONBLOCK: a FIFO in the file's place must not hold weir up. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return diag_error(diag, NULL, "%s: %s", path, strerror(errno));
	err = check_file(fd, path, diag);
	if (!err)
		err = read_fd(fd, path, diag, text);
	close(fd);
	return err;
}
