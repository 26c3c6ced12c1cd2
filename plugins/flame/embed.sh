#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Turns a file into a C array: embed.sh FILE NAME > HEADER
set -eu
printf 'static const unsigned char %s[] = {\n' "$2"
od -An -v -tu1 "$1" | sed 's/ *\([0-9][0-9]*\)/\1,/g'
printf '};\n'
