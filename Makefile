# The newcomer's door: `make demo` and `make test` do everything, from a fresh Debian on.
# meson.build is the real build; see it for options (meson configure build).

BUILD  ?= build
PREFIX ?= /usr/local

.PHONY: all demo test deps build install

all: build

demo: deps build
	./tests/demo.sh $(BUILD)

test: deps build
	./tests/run.sh $(BUILD)

deps:
	./tests/deps.sh

build:
	test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)
	ninja -C $(BUILD)

install: build
	meson configure $(BUILD) --prefix=$(PREFIX) --libdir=lib
	meson install -C $(BUILD)
