# ldpbench - `make help` lists the targets.

MODE    ?= release
BUILD   := build/$(MODE)
CC      ?= cc
PKG     := pkg-config
LIBS    := libcjson gsl sqlite3 zlib
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes \
           -Wvla -Wundef -Wformat=2 -fno-common
ifneq ($(CI),)
WARN    += -Werror
endif
# -ffp-contract=off: a fused multiply-add on one processor and not on another would change bytes.
STD     := -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -ffp-contract=off -fopenmp
FLAGS_release  := -O3 -g
FLAGS_debug    := -O1 -g
FLAGS_san      := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
FLAGS_coverage := -O0 -g --coverage
ALL_CFLAGS = $(STD) $(WARN) $(FLAGS_$(MODE)) -Icore -Idatasets -Ibench -I$(BUILD) $(shell $(PKG) --cflags $(LIBS)) $(CFLAGS)
ALL_LIBS   = $(shell $(PKG) --libs $(LIBS)) -lm $(LDFLAGS)

CORE_SRC  := $(wildcard core/*.c core/oracles/*.c core/methods/*.c core/queries/*.c)
DATA_SRC  := $(wildcard datasets/*.c)
BENCH_SRC := $(wildcard bench/*.c)
TEST_SRC  := $(wildcard tests/*.c)
ALL_SRC   := $(CORE_SRC) $(DATA_SRC) $(BENCH_SRC) $(TEST_SRC)
HEADERS   := $(wildcard core/*.h core/*.def datasets/*.h bench/*.h bench/*.def tests/*.h)
obj        = $(patsubst %.c,$(BUILD)/%.o,$(1))

PROGRAM := $(BUILD)/ldpbench
LIBRARY := $(BUILD)/libldpbench.a
TESTS   := $(BUILD)/run-tests

.PHONY: all
all: $(PROGRAM) $(LIBRARY)  ## the program and the core library, under build/release

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(LIBRARY): $(call obj,$(CORE_SRC))
	@rm -f $@
	ar rcs $@ $^

$(PROGRAM): $(call obj,$(BENCH_SRC) $(DATA_SRC)) $(LIBRARY)
	$(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS)

# The driver without its main, so that tests can call into it.
$(TESTS): $(call obj,$(TEST_SRC) $(filter-out bench/main.c,$(BENCH_SRC)) $(DATA_SRC)) $(LIBRARY)
	$(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS) -lcriterion

.PHONY: test
test: $(PROGRAM) $(TESTS)  ## all tests that a change must pass (minutes)
	LDPBENCH=$(abspath $(PROGRAM)) $(TESTS)

.PHONY: clean
clean:  ## remove what was built
	rm -rf build

.PHONY: help
help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## *(.*)/\1\t\2/' | expand -t 14

-include $(patsubst %.c,$(BUILD)/%.d,$(ALL_SRC))
