# SPDX-License-Identifier: BSD-2-Clause
# For live tests that compare with the kernel's counters of TCP in a network namespace; to be sourced.

# no_talk NAMESPACE: none of its connections sends anything any more: there are none but those that
# wait for their ports to be free.
no_talk() {
	! ip netns exec "$1" cat /proc/net/tcp /proc/net/tcp6 |
		awk '$4 ~ /^[0-9A-F][0-9A-F]$/ && $4 != "0A" && $4 != "06"' | grep .
}
