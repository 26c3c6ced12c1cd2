/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an instance's life. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/batch.h"
#include "../../core/names.h"
#include "mock_parts.h"

#define TICKS    3
#define MANY     300 /* rows of a large batch */
#define DRAIN_NS 1000000000

/* A callback may refuse to work here, but must say why. */
static bool judge(struct mock *mock, const char *callback, int err)
{
	if (err > 0)
		subject_fault(mock->subject, "%s() returned %d, not 0 or a negative errno",
			      callback, err);
	if (err < 0 && !mock->reason[0] && !(mock->hardships & HARD_REFUSED))
		subject_fault(mock->subject, "%s() failed (%s) without weir_fail()", callback,
			      strerror(-err));
	if (err < 0 && !(mock->hardships & HARD_REFUSED))
		subject_note(mock->subject, "%s(): %s", callback, mock->reason);
	return err == 0;
}

static int tick(struct mock *mock)
{
	int err = 0;

	for (int i = 0; i < TICKS && err == 0; i++) {
		usleep(2000);
		if (mock->period && mock->component->tick)
			err = mock->component->tick(&mock->ctx, weir_now(&mock->ctx));
		for (int j = 0; j < MOCK_WATCHES_MAX && err == 0; j++) {
			struct pollfd poll_fd = { mock->watches[j].fd,
						  (short)mock->watches[j].events, 0 };

			if (poll_fd.fd >= 0 && poll(&poll_fd, 1, 0) == 1)
				err = mock->watches[j].ready(&mock->ctx, poll_fd.fd,
							     (uint32_t)poll_fd.revents);
		}
	}
	return err;
}

/* Where a write ends the process. Not given back: the instance may hold the batch. */
static uint8_t *read_only(const uint8_t *bytes, size_t count)
{
	uint8_t *copy;

	if (count == 0)
		return NULL;
	copy = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return NULL;
	memcpy(copy, bytes, count);
	mprotect(copy, count, PROT_READ);
	return copy;
}

static int push_batch(struct mock *mock, uint32_t input, struct weir_batch *batch)
{
	uint8_t *rows = batch->rows, *arena = batch->arena, *copy;
	int err;

	if (mock->hardships & HARD_READ_ONLY) {
		copy = read_only(rows, (size_t)batch->row_count * batch->row_size);
		batch->rows = copy ? copy : rows;
		copy = read_only(arena, batch->arena_used);
		batch->arena = copy ? copy : arena;
	}
	err = mock->component->push(&mock->ctx, input, batch);
	batch->rows = rows;
	batch->arena = arena;
	return err;
}

static int push_one(struct mock *mock, uint32_t input, uint32_t rows)
{
	struct weir_names *names = names_new();
	struct batch *batch = synthetic_batch(mock->natives[input], rows, names);
	int err = batch ? push_batch(mock, input, &batch->seen) : -ENOMEM;

	batch_release(batch);
	names_release(names);
	return err;
}

static int push(struct mock *mock)
{
	static const uint32_t sizes[] = { 1, 0, MANY };
	uint64_t refused = mock->loans_refused, losses = mock->losses;
	int err = 0;

	for (uint32_t i = 0; i < mock->ctx.input_count; i++)
		for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]) && err == 0; j++)
			err = push_one(mock, i, sizes[j]);
	if (err == 0 && mock->loans_refused > refused && mock->losses == losses)
		subject_fault(mock->subject, "push(): a loan was refused, and neither is that an "
					     "error nor are the rows told by weir_lost()");
	return err;
}

static int bind_it(struct mock *mock)
{
	int err = mock_connect(mock);

	if (err == 0 && mock->component->bind)
		err = mock->component->bind(&mock->ctx);
	for (uint32_t i = 0; err == 0 && i < mock->component->outputs.count; i++)
		if (!mock->outputs[i])
			subject_fault(mock->subject, "bind() left output %s without a schema",
				      mock->component->outputs.items[i].name);
	return err;
}

static void stop(struct mock *mock)
{
	struct call before =
		progress_enter(mock->subject->progress, "stop", subject_patience_ns(mock->subject));

	mock->started = false;
	if (mock->component->stop)
		mock->component->stop(&mock->ctx);
	progress_leave(mock->subject->progress, &before);
}

/* An fd that is closed while it is watched may come back as another one. */
static void check_watches(struct mock *mock)
{
	for (int i = 0; i < MOCK_WATCHES_MAX; i++)
		if (mock->watches[i].fd >= 0 && fcntl(mock->watches[i].fd, F_GETFD) < 0)
			subject_fault(mock->subject, "fd %d was closed while it was watched",
				      mock->watches[i].fd);
}

static bool drain(struct mock *mock)
{
	uint64_t now = weir_now(&mock->ctx), patience = subject_patience_ns(mock->subject) / 4;
	uint64_t deadline = mock->hardships & HARD_LATE ? now - 1 : now + DRAIN_NS;
	struct call before;
	int err;

	if (!mock->component->drain)
		return true;
	before = progress_enter(mock->subject->progress, "drain",
				deadline > now ? deadline - now + patience : patience);
	err = mock->component->drain(&mock->ctx, deadline);
	progress_leave(mock->subject->progress, &before);
	return judge(mock, "drain", err);
}

static bool create(struct mock *mock)
{
	mock->created = true;
	return judge(mock, "create",
		     mock->component->create ? mock->component->create(&mock->ctx) : 0);
}

static bool start(struct mock *mock)
{
	mock->started = true;
	return judge(mock, "start",
		     mock->component->start ? mock->component->start(&mock->ctx) : 0);
}

static bool take_step(struct mock *mock, char step)
{
	switch (step) {
	case 'c':
		return create(mock);
	case 'b':
		return judge(mock, "bind", bind_it(mock));
	case 's':
		return start(mock);
	case 't':
		return judge(mock, "tick", tick(mock));
	case 'p':
		return judge(mock, "push", mock->component->push ? push(mock) : 0);
	case 'd':
		return drain(mock);
	default:
		return true;
	}
}

static const char *step_name(char step)
{
	static const char letters[] = "cbstp";
	static const char *const names[] = { "create", "bind", "start", "tick", "push" };
	const char *place = strchr(letters, step);

	return place ? names[place - letters] : "";
}

bool mock_step(struct mock *mock, char step)
{
	struct progress *progress = mock->subject->progress;
	struct call before;
	bool going;

	mock->reason[0] = '\0';
	before = progress_enter(progress, step_name(step), subject_patience_ns(mock->subject));
	going = take_step(mock, step);
	progress_leave(progress, &before);
	return going;
}

static void destroy(struct mock *mock)
{
	struct call before = progress_enter(mock->subject->progress, "destroy",
					    subject_patience_ns(mock->subject));

	mock->component->destroy(&mock->ctx);
	progress_leave(mock->subject->progress, &before);
}

void mock_end(struct mock *mock)
{
	if (mock->started)
		stop(mock);
	if (mock->created && mock->component->destroy)
		destroy(mock);
	mock->created = false;
	check_watches(mock);
	if (mock->loans != 0)
		subject_fault(mock->subject, "%lld batches were neither committed nor discarded",
			      (long long)mock->loans);
	if (mock->writers != 0)
		subject_fault(mock->subject, "%lld writers were not closed",
			      (long long)mock->writers);
}
