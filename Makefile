# ldpbench - `make help` lists the targets.

# The headers that are installed; the version stands in the first.
PUBLIC_HEADERS := core/api/ldpbench.h
VERSION := $(shell sed -n 's/^.define LDPBENCH_VERSION_[A-Z]* //p' $(firstword $(PUBLIC_HEADERS)) | paste -sd .)
SONAME  := libldpbench.so.$(firstword $(subst ., ,$(VERSION)))
MODE    ?= release
CC      ?= cc
PREFIX  ?= /usr/local
BUILD   := build/$(MODE)

PKG     := pkg-config
LIBS    := libcjson gsl libmd sqlite3 zlib
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes \
           -Wvla -Wundef -Wformat=2 -fno-common \
           -Wno-unused-parameter # an entry of a registry takes what any of its kind may need
ifneq ($(CI),)
WARN    += -Werror
endif
# Of the library and the program: a caller's thread may have a small stack. Exceptions have a pragma and a reason.
FRAMES  := $(if $(filter release,$(MODE)),-Wframe-larger-than=16384)
# -ffp-contract=off: a fused multiply-add on one processor and not on another would change bytes.
STD     := -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
FLAGS_release  := -O3 -g1
FLAGS_debug    := -O1 -g
FLAGS_clang    := -O2 -g
FLAGS_san      := -O1 -g $(SANITIZE)
FLAGS_coverage := -O0 -g --coverage
FLAGS_cross    := -O0 -Werror=implicit-function-declaration
# Instrumented loops do not vectorise; clang would say so.
FLAGS_fuzz     := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link -Wno-pass-failed
ifeq ($(FLAGS_$(MODE)),)
$(error MODE=$(MODE) is none of: release debug clang san coverage cross fuzz)
endif
PIC := -fPIC -fno-semantic-interposition
# pkg-config is asked when something is built, once.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell $(PKG) --cflags $(LIBS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell $(PKG) --libs $(LIBS)))$(PKG_LIBS)
# -iquote: behind -I datasets/strings.h would hide the system's, and headers that it brings would be missing from the .d files.
ALL_CFLAGS = $(STD) $(WARN) $(FLAGS_$(MODE)) -iquote core -iquote datasets -iquote bench -iquote $(BUILD) \
             $(PKG_CFLAGS) $(CFLAGS)
ALL_LIBS   = $(PKG_LIBS) -lm $(LDFLAGS)

CORE_SRC  := $(wildcard core/*.c core/*/*.c)
DATA_SRC  := $(wildcard datasets/*.c datasets/*/*.c)
BENCH_SRC := $(wildcard bench/*.c bench/*/*.c)
TEST_SRC  := $(wildcard tests/*.c)
FUZZ_SRC  := $(wildcard tests/fuzz/*.c)
PERF_SRC  := $(wildcard perf/*.c)
ALL_SRC   := $(CORE_SRC) $(DATA_SRC) $(BENCH_SRC) $(TEST_SRC) $(FUZZ_SRC) $(PERF_SRC)
HEADERS   := $(wildcard core/*.h datasets/*.h datasets/*/*.h bench/*/*.h core/*/*.h tests/*.h perf/*.h)
obj        = $(patsubst %.c,$(BUILD)/%.o,$(1))

PROGRAM := $(BUILD)/ldpbench
LIBRARY := $(BUILD)/libldpbench.a
SHARED  := $(BUILD)/$(SONAME)
TESTS   := $(BUILD)/run-tests
NATIVE  := python/ldpbench/native
PERF    := $(BUILD)/ldpbench-bench

.DELETE_ON_ERROR:

# A word and a name for each step; V=1 shows the commands.
step = $(if $(V),,@echo '  $(1)	$(2)' &&)

.PHONY: all
all: $(PROGRAM) $(LIBRARY) $(SHARED)  ## the program and the core library, static and shared, under build/release (default)

# Rewritten if compiler or flags differ from the last build's; then everything is rebuilt.
.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(PIC) $(FRAMES) $(ALL_LIBS)' > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/version.h: FORCE
	@FLAGS='$(STD) $(CFLAGS)' sh scripts/version.sh '$(VERSION)' '$(CC)' '$(PREFIX)/share/ldpbench' $@

# The style and the scripts of report's pages as C; the library that draws its charts comes from its package.
CHART_JS      ?= /usr/share/javascript/chart.js/chart.min.js
CHART_LICENCE ?= /usr/share/doc/libjs-chart.js/copyright
PAGE_PARTS    := $(addprefix bench/results/,page.css page.js browse.js)
$(BUILD)/page_assets.h: scripts/page-assets.sh $(PAGE_PARTS) $(wildcard $(CHART_JS) $(CHART_LICENCE))
	@sh scripts/page-assets.sh $@ '$(CHART_JS)' '$(CHART_LICENCE)' $(PAGE_PARTS)

MADE := $(BUILD)/version.h $(BUILD)/page_assets.h

$(BUILD)/%.o: %.c $(BUILD)/flags | $(MADE)
	@mkdir -p $(@D)
	$(call step,CC,$@) $(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/%.mpi.o: %.c $(BUILD)/flags | $(MADE)
	@mkdir -p $(@D)
	$(call step,MPICC,$@) mpicc $(ALL_CFLAGS) -DLDPBENCH_MPI -MMD -MP -c $< -o $@

# The same objects go into both libraries and the program, so that all compute the same bytes.
$(BUILD)/core/%.o: private CFLAGS += $(PIC) $(FRAMES)
$(BUILD)/datasets/%.o $(BUILD)/bench/%.o: private CFLAGS += $(FRAMES)
# What is public, with its types (tests/abi.sh); of all else the debugger has lines.
$(BUILD)/core/api/%.o: private CFLAGS += $(if $(filter release,$(MODE)),-g)
# Tests run once: to optimise them takes longer than they do, but for the checks of all oracles.
$(BUILD)/tests/%.o: private CFLAGS += $(if $(filter release,$(MODE)),-O0)
$(BUILD)/tests/oracle_%.o $(BUILD)/tests/stat%.o: private CFLAGS += $(if $(filter release,$(MODE)),-O2)

# The functions of the installed headers: each has a page of the manual, and the shared library shows them, nothing else.
$(BUILD)/man3: man/functions.awk $(PUBLIC_HEADERS)
	@rm -rf $@ && mkdir -p $@
	@awk -v version=$(VERSION) -v folder=$@ -f man/functions.awk $(PUBLIC_HEADERS)
$(BUILD)/ldpbench.map: $(BUILD)/man3
	@{ echo 'LDPBENCH_$(subst libldpbench.so.,,$(SONAME)) { global:' && ls $< | sed -n '/_/s/\.3$$/;/p' && echo 'local: *; };'; } >$@

$(SHARED): $(call obj,$(CORE_SRC)) $(BUILD)/ldpbench.map
	$(call step,LINK,$@) $(CC) $(ALL_CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/ldpbench.map \
	    -Wl,-Bsymbolic $(filter %.o,$^) -o $@ -lm $(LDFLAGS)
	@ln -sfn $(SONAME) $(BUILD)/libldpbench.so

$(LIBRARY): $(call obj,$(CORE_SRC))
	@rm -f $@
	$(call step,AR,$@) ar rcs $@ $^

$(PROGRAM): $(call obj,$(BENCH_SRC) $(DATA_SRC)) $(LIBRARY)
	$(call step,LINK,$@) $(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS)

# The driver without its main, so that tests can call into it.
$(TESTS): $(call obj,$(TEST_SRC) $(filter-out bench/main.c,$(BENCH_SRC)) $(DATA_SRC)) $(LIBRARY)
	$(call step,LINK,$@) $(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS) -lcriterion

$(PERF): $(call obj,$(PERF_SRC)) $(LIBRARY)
	$(call step,LINK,$@) $(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS)

.PHONY: bench
bench: $(PERF)  ## measure speed: a table, build/release/performance.md with a plot, JSON (minutes; BENCH_FLAGS=--quick)
	$(PERF) --json $(BUILD)/performance.json $(BENCH_FLAGS)
	sh scripts/performance.sh $(BUILD) bench

.PHONY: peers
peers: python  ## the same work by published Python code, where it is installed, and by NumPy, as a table (minutes)
	/usr/bin/python3 perf/published.py

.PHONY: starting
starting: $(PROGRAM) python  ## how long starting, a run of one cell, completion and import take, as a table
	/usr/bin/python3 perf/starting.py $(PROGRAM)

.PHONY: levels growth
levels: $(PROGRAM)  ## processor time of ten paths at every vector level of this processor, as a table (minutes)
	python3 perf/levels.py $(PROGRAM)

growth: $(PROGRAM)  ## processor time of a repetition from 10^3 to 10^12 users, for every task, as a table (minutes)
	python3 perf/growth.py $(PROGRAM)

# The same objects, but those that know of ranks are compiled again.
KNOW_RANKS  := $(shell grep -lE 'include "run/mpi.h"|LDPBENCH_MPI' $(BENCH_SRC))
WITH_MPI    := $(BUILD)/ldpbench-mpi
.PHONY: mpi
mpi: $(WITH_MPI)  ## the program for many machines, build/release/ldpbench-mpi (needs Open MPI: mpicc)
$(WITH_MPI): $(KNOW_RANKS:%.c=$(BUILD)/%.mpi.o) $(call obj,$(filter-out $(KNOW_RANKS),$(BENCH_SRC)) $(DATA_SRC)) $(LIBRARY)
	$(call step,LINK,$@) mpicc $(ALL_CFLAGS) $^ -o $@ $(ALL_LIBS)

# The tests of many ranks need it, where there is an MPI compiler.
ifneq ($(filter test verify,$(MAKECMDGOALS)),)
ifeq ($(MODE),release)
MPICC := $(shell mpicc -fsyntax-only -include mpi.h -x c /dev/null 2>/dev/null && echo mpicc)
endif
endif
MPI_PROGRAM := $(if $(MPICC),$(WITH_MPI))
TEST_ENVIRONMENT = LDPBENCH="$(CURDIR)/$(PROGRAM)" $(if $(MPI_PROGRAM),LDPBENCH_MPI="$(CURDIR)/$(MPI_PROGRAM)")

.PHONY: test
test: $(PROGRAM) $(SHARED) $(TESTS) $(PERF) $(MPI_PROGRAM)  ## all tests that a change must pass (minutes)
	$(TEST_ENVIRONMENT) $(TESTS)

.PHONY: quick
quick: $(PROGRAM) $(TESTS)  ## the tests that are not marked SLOW, and the gate: for the minute after an edit (about 40 s)
	LDPBENCH_QUICK=1 LDPBENCH="$(CURDIR)/$(PROGRAM)" $(TESTS) --ignore-warnings

.PHONY: verify
verify: $(PROGRAM) $(SHARED) $(TESTS) $(MPI_PROGRAM)  ## the tests with the long statistical runs (may take long)
	LDPBENCH_VERIFY=1 $(TEST_ENVIRONMENT) $(TESTS)

.PHONY: bad-inputs
bad-inputs: $(PROGRAM) $(SHARED)  ## attack the program with bad input of every kind
	LDPBENCH="$(CURDIR)/$(PROGRAM)" python3 tests/bad_inputs.py
	LDPBENCH="$(CURDIR)/$(PROGRAM)" python3 tests/bad_inputs_random.py

VALID_COUNT ?= 200
VALID_SEED  ?= 1
.PHONY: valid-inputs
valid-inputs:  ## configs at the edges of every range under the sanitizers; VALID_COUNT=200, VALID_SEED=1
	$(MAKE) MODE=san all
	LDPBENCH="$(CURDIR)/build/san/ldpbench" python3 tests/valid_inputs.py $(VALID_COUNT) $(VALID_SEED)

.PHONY: lint
lint:  ## functions over 70 lines, files over 500 that do not say why, includes from a room above, help pages beyond their budgets
	sh tests/lint.sh

.PHONY: mistakes
mistakes: $(PROGRAM) $(TESTS)  ## plant published mistakes in copies of our source: each must be caught (studies/mistakes.md)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh tests/mistakes.sh

MUTANTS ?= --seed 1 --count 60
.PHONY: mutants
mutants: $(PROGRAM) $(TESTS)  ## draw mutants of the numeric files: what gate and quick tests find (an hour; MUTANTS="--seed 1 --count 60")
	LDPBENCH="$(CURDIR)/$(PROGRAM)" python3 tests/mutants.py $(MUTANTS)

.PHONY: golden
golden: $(PROGRAM)  ## write the golden tables of the tests again (a change of bytes on purpose)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/golden.sh

.PHONY: gate
gate: $(PROGRAM)  ## run the configs of the baselines (configs/baselines): every number must be the same (seconds)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh tests/gate.sh

.PHONY: baseline
baseline: $(PROGRAM)  ## write again the baselines that differ (a change of numbers on purpose)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh tests/gate.sh --write

.PHONY: generated
generated: golden  ## write again all that the program makes: golden tables, docs/reference.md, schema, reference, manual
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/generated.sh

.PHONY: san
san: $(PROGRAM) $(SHARED)  ## build under the address and undefined-behaviour sanitizers, run the tests (Python loads the release)
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.supp:print_suppressions=0 $(MAKE) MODE=san test

.PHONY: clang
clang: $(PROGRAM) $(SHARED)  ## build with clang, warnings as errors, run the tests (Python loads the release)
	$(MAKE) MODE=clang CC=clang CI=1 test

CROSS ?= aarch64-linux-gnu-gcc
.PHONY: cross
cross:  ## compile and link the library for another processor, CROSS=aarch64-linux-gnu-gcc
	$(MAKE) MODE=cross CC='$(CROSS)' PKG=true LDFLAGS=-Wl,--no-undefined build/cross/$(SONAME)

.PHONY: tidy
tidy: $(MADE)  ## clang-tidy over every source
	printf '%s\n' $(ALL_SRC) | xargs -P $$(getconf _NPROCESSORS_ONLN) -I{} \
	    clang-tidy --quiet {} -- $(STD) -iquote core -iquote datasets -iquote bench -iquote $(BUILD) $(PKG_CFLAGS)

.PHONY: format
format:  ## clang-format every source in place
	clang-format -i $(ALL_SRC) $(HEADERS) $(wildcard docs/*.c)

.PHONY: format-check
format-check:  ## fail where clang-format would change something
	clang-format --dry-run --Werror $(ALL_SRC) $(HEADERS) $(wildcard docs/*.c)

.PHONY: coverage
coverage:  ## run the tests instrumented, show the lines and branches of core/ that they reach
	$(MAKE) MODE=coverage all build/coverage/run-tests
	find build/coverage -name '*.gcda' -delete
	-GCOV_ERROR_FILE=/dev/null LDPBENCH="$(CURDIR)/build/coverage/ldpbench" build/coverage/run-tests
	sh scripts/coverage.sh build/coverage core

FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(FUZZ_SRC))
.PHONY: fuzz
fuzz:  ## libFuzzer over the readers, FUZZ_SECONDS=60 each (needs clang)
	$(MAKE) MODE=fuzz CC=clang $(FUZZERS)
	FUZZ_SECONDS=$(FUZZ_SECONDS) sh scripts/fuzz.sh $(FUZZERS)

ifeq ($(MODE),fuzz)
$(FUZZERS): build/fuzz/%: build/fuzz/tests/fuzz/%.o \
            $(call obj,$(filter-out bench/main.c,$(BENCH_SRC)) $(DATA_SRC)) $(LIBRARY)
	$(call step,LINK,$@) $(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $^ -o $@ $(ALL_LIBS)
endif

.PHONY: figures
figures: $(PROGRAM)  ## run the configs of the paper's figures, plot them, compare with the paper
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/figures.sh

.PHONY: leaderboard
leaderboard: $(PROGRAM)  ## studies/leaderboard.md: the table of every track of the suite (minutes)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/pages.sh leaderboard

PAGES :=
.PHONY: pages
pages: $(PROGRAM)  ## make the generated pages of studies/ and the pictures of docs/ again (an hour; PAGES="oracles choose ..": these; LDPBENCH_DATA)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/pages.sh $(PAGES)

.PHONY: site
site: $(PROGRAM) $(SHARED)  ## README, docs, the reference and reports of shipped configs as static pages with search, in build/site
	LDPBENCH="$(CURDIR)/$(PROGRAM)" /usr/bin/python3 scripts/site.py build/site

.PHONY: figures-all
figures-all: figures figures-vldb  ## those, and the figures of Calibrate (INFOCOM 2019), PVLDB 2021, CALM (CCS 2018) and PGR (ICML 2022)
	for paper in calibrate2019 calm2018 icml2022; do LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/figures.sh $$paper || exit; done

.PHONY: figures-vldb
figures-vldb: $(PROGRAM)  ## the figures of PVLDB 2021 (oracles; times want an idle machine)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/figures.sh vldb2021

.PHONY: agreement
agreement: $(PROGRAM)  ## the pages of agreement with all papers, from nothing (under ten minutes on two processors; PATIENCE=1: until every claim is decided)
	LDPBENCH="$(CURDIR)/$(PROGRAM)" sh scripts/agreement.sh

# The package finds the library and the program inside itself, so that pip installs all of it and compiles nothing.
# For setuptools: the version; and, with binaries in the package, the oldest platform that they run on.
PYTHON_CONFIG := $(NATIVE:%/ldpbench/native=%)/setup.cfg
.PHONY: python $(PYTHON_CONFIG)
$(PYTHON_CONFIG):
	@printf '[metadata]\nversion = %s\n' $(VERSION) >$@
python: $(PROGRAM) $(SHARED) $(PYTHON_CONFIG)  ## put library, program and its files into the Python package: then pip install ./python
	rm -rf $(NATIVE)
	install -d $(NATIVE)/program/bin $(NATIVE)/lib $(NATIVE)/include $(NATIVE)/man
	$(CC) $(ALL_CFLAGS) $(call obj,$(BENCH_SRC) $(DATA_SRC)) $(LIBRARY) -o $(NATIVE)/program/bin/ldpbench $(ALL_LIBS) \
	    -s -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../../lib'
	ldd $(NATIVE)/program/bin/ldpbench | sed -nE 's|.* => (/.*/lib(cjson\|gsl\|gslcblas\|md\|sqlite3\|z\|gomp)\.so[^ ]*) .*|\1|p' | \
	    xargs -I '{}' install -m 644 '{}' $(NATIVE)/lib
	install -m 644 $(SHARED) $(NATIVE)/libldpbench.so
	install -m 644 $(PUBLIC_HEADERS) $(NATIVE)/include
	install -m 644 man/ldpbench.1 $(NATIVE)/man
	cp -R configs papers plots suites $(NATIVE)
	printf '[bdist_wheel]\nplat_name = %s_%s\n' >>$(PYTHON_CONFIG) "$$(objdump -T $(NATIVE)/libldpbench.so $(NATIVE)/program/bin/* $(NATIVE)/lib/* | \
	    sed -n 's/.*GLIBC_\([0-9]*\)\.\([0-9]*\).*/manylinux_\1_\2/p' | sort -V | tail -1)" "$$($(CC) -dumpmachine | sed 's/-.*//')"

.PHONY: wheel
wheel: python  ## a wheel for every Python 3 of this platform, with all that it needs, in build/
	rm -rf build/ldpbench-*.whl python/build
	/usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check -w build ./python
	rm -rf python/build python/ldpbench.egg-info

DESTDIR    ?=
LIBDIR     ?= $(PREFIX)/lib
bindir     := $(DESTDIR)$(PREFIX)/bin
libdir     := $(DESTDIR)$(LIBDIR)
includedir := $(DESTDIR)$(PREFIX)/include
sharedir   := $(DESTDIR)$(PREFIX)/share
mandir     := $(sharedir)/man
bashdir    := $(sharedir)/bash-completion/completions
zshdir     := $(sharedir)/zsh/site-functions
fishdir    := $(sharedir)/fish/vendor_completions.d
docdir     := $(sharedir)/doc/ldpbench
# Files with the version and the places in them: the first, from its source, the second; for all to read.
filled = sed -e 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@VERSION@|$(VERSION)|g; s|@SONAME@|$(SONAME)|g' \
    -e '/^\.TH/s/"ldpbench"/"ldpbench $(VERSION)"/' $(2) >"$(1)" && chmod 644 "$(1)"

.PHONY: install
install: $(PROGRAM) $(LIBRARY) $(SHARED) $(BUILD)/man3  ## program, libraries, headers, pkg-config and CMake files, manual, completions; PREFIX, LIBDIR, DESTDIR
	install -d "$(bindir)" "$(libdir)/pkgconfig" "$(libdir)/cmake/ldpbench" "$(includedir)" "$(mandir)/man1" "$(mandir)/man3" \
	    "$(mandir)/man5" "$(bashdir)" "$(zshdir)" "$(fishdir)" "$(sharedir)/ldpbench" "$(docdir)"
	install -m 755 $(PROGRAM) $(wildcard $(WITH_MPI)) "$(bindir)/"
	install -m 644 $(LIBRARY) "$(libdir)/libldpbench.a"
	install -m 644 $(SHARED) "$(libdir)/$(SONAME)"
	ln -sfn $(SONAME) "$(libdir)/libldpbench.so"
	install -m 644 $(PUBLIC_HEADERS) "$(includedir)/"
	$(call filled,$(libdir)/pkgconfig/ldpbench.pc,core/ldpbench.pc.in)
	$(call filled,$(libdir)/cmake/ldpbench/ldpbench-config.cmake,core/ldpbench-config.cmake.in)
	$(call filled,$(libdir)/cmake/ldpbench/ldpbench-config-version.cmake,core/ldpbench-config-version.cmake.in)
	$(call filled,$(mandir)/man1/ldpbench.1,man/ldpbench.1)
	$(call filled,$(mandir)/man5/ldpbench-config.5,man/ldpbench-config.5)
	install -m 644 $(BUILD)/man3/*.3 "$(mandir)/man3/"
	install -m 644 completions/ldpbench.bash "$(bashdir)/ldpbench"
	install -m 644 completions/_ldpbench "$(zshdir)/_ldpbench"
	install -m 644 completions/ldpbench.fish "$(fishdir)/ldpbench.fish"
	cp -R configs papers plots suites "$(sharedir)/ldpbench/"
	cp -R *.md CITATION.cff LICENSE docs studies "$(docdir)/"
	chmod -R u+rwX,go=rX "$(sharedir)/ldpbench" "$(docdir)"
	ln -sfn ../../ldpbench/configs "$(docdir)/configs"
	ln -sfn ../../ldpbench/plots "$(docdir)/plots"
	ln -sfn ../../ldpbench/papers "$(docdir)/papers"

.PHONY: uninstall
uninstall: $(BUILD)/man3  ## remove what install put there
	rm -f "$(bindir)/ldpbench" "$(bindir)/ldpbench-mpi" "$(libdir)/libldpbench.a" "$(libdir)/$(SONAME)" "$(libdir)/libldpbench.so" \
	    $(foreach header,$(notdir $(PUBLIC_HEADERS)),"$(includedir)/$(header)") "$(libdir)/pkgconfig/ldpbench.pc" \
	    $(foreach page,$(notdir $(wildcard $(BUILD)/man3/*.3)),"$(mandir)/man3/$(page)") "$(mandir)/man1/ldpbench.1" \
	    "$(mandir)/man5/ldpbench-config.5" "$(bashdir)/ldpbench" "$(zshdir)/_ldpbench" "$(fishdir)/ldpbench.fish"
	rm -rf "$(sharedir)/ldpbench" "$(docdir)" "$(libdir)/cmake/ldpbench"

# The same commit gives the same bytes. What git archive writes into scripts/version.sh stands for the history.
DIST := build/ldpbench-$(VERSION).tar.gz
.PHONY: dist
dist:  ## a tarball of the committed tree, build/ldpbench-VERSION.tar.gz
	@mkdir -p build
	git -c tar.umask=022 archive --format=tar --prefix=ldpbench-$(VERSION)/ HEAD | gzip -9n >$(DIST)

# debian/ is in packaging/; its changelog is the version and the date of the commit.
DEB := build/deb/ldpbench-$(VERSION)
.PHONY: deb
deb: dist  ## Debian packages of the committed tree, in build/deb, looked at by lintian where it is (minutes)
	rm -rf build/deb && mkdir -p build/deb
	tar -xzf $(DIST) -C build/deb
	cp $(DIST) build/deb/ldpbench_$(VERSION).orig.tar.gz
	cp -R packaging/debian $(DEB)/debian
	printf '%s\n' 'ldpbench ($(VERSION)-1) unstable; urgency=medium' '' '  * Version $(VERSION); see CHANGELOG.md.' '' \
	    " -- ldpbench authors <ldpbench@users.noreply.github.com>  $$(git log -1 --format=%aD)" >$(DEB)/debian/changelog
	cd $(DEB) && dpkg-buildpackage -us -uc
	if command -v lintian; then lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs build/deb/*.changes; fi

.PHONY: clean
clean:  ## remove what was built
	rm -rf build python/ldpbench/native

.PHONY: help
help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## *(.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
	@echo 'Variables: MODE=release|debug|clang|san|coverage|fuzz, CC, CFLAGS, LDFLAGS, CI=1 (warnings are errors), V=1,'
	@echo 'PREFIX, DESTDIR, FUZZ_SECONDS, VALID_COUNT, VALID_SEED.'

-include $(patsubst %.c,$(BUILD)/%.d,$(ALL_SRC)) $(KNOW_RANKS:%.c=$(BUILD)/%.mpi.d)
