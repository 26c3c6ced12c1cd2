/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that a plugin's .c file includes of weir. */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "abi.h"
#include "component.h"
#include "host.h"
#include "option.h"
#include "record.h"
#include "schema.h"
#include "unit.h"

#endif
