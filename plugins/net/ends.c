/* SPDX-License-Identifier: BSD-2-Clause */
/* See ends.h. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "ends.h"

static int ends_ports_set(struct weir_ctx *ctx, const char *option, const struct weir_texts *texts,
			  unsigned short *ports)
{
	char path[32];

	if (texts->count > ENDS_PORTS_MAX)
		return weir_fail_option(ctx, option, -E2BIG, "at most %d ports", ENDS_PORTS_MAX);
	for (uint32_t i = 0; i < texts->count; i++) {
		char *end;
		unsigned long port = strtoul(texts->items[i], &end, 10);

		snprintf(path, sizeof(path), "%s[%u]", option, i);
		if (texts->items[i][0] < '0' || texts->items[i][0] > '9' || *end || port > 65535)
			return weir_fail_option(ctx, path, -EINVAL,
						"\"%s\" is no port: they go from 0 to 65535",
						texts->items[i]);
		ports[i] = (unsigned short)port;
	}
	return 0;
}

int ends_filter_set(struct weir_ctx *ctx, const struct ends_conf *conf, struct ends_filter *filter)
{
	static const unsigned short families[] = { 0, ENDS_IPV4, ENDS_IPV6 };
	int err = ends_ports_set(ctx, "lport", &conf->lport, filter->lports);

	if (!err)
		err = ends_ports_set(ctx, "rport", &conf->rport, filter->rports);
	filter->lport_count = (unsigned short)conf->lport.count;
	filter->rport_count = (unsigned short)conf->rport.count;
	filter->family = families[conf->family];
	return err;
}

int ends_columns_fill(struct weir_ctx *ctx, struct weir_batch *batch, const struct ends *ends,
		      struct ends_columns *columns)
{
	int family = ends->family == ENDS_IPV6 ? AF_INET6 : AF_INET;
	char local[INET6_ADDRSTRLEN] = "", remote[INET6_ADDRSTRLEN] = "";

	columns->netns = ends->netns;
	columns->lport = ends->lport;
	columns->rport = ends->rport;
	inet_ntop(family, ends->laddr, local, sizeof(local));
	inet_ntop(family, ends->raddr, remote, sizeof(remote));
	if (weir_add_text(ctx, batch, local, strlen(local), &columns->laddr))
		return -ENOMEM;
	return weir_add_text(ctx, batch, remote, strlen(remote), &columns->raddr);
}

const char *ends_state(uint32_t state)
{
	static const char *const names[] = {
		"",          "ESTABLISHED", "SYN_SENT",     "SYN_RECV",   "FIN_WAIT1",
		"FIN_WAIT2", "TIME_WAIT",   "CLOSE",        "CLOSE_WAIT", "LAST_ACK",
		"LISTEN",    "CLOSING",     "NEW_SYN_RECV",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "";
}
