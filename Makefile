# Weir. `make help` lists what there is; what is longer than a line stands in
# support/.

PREFIX = /usr/local
DESTDIR =
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
BINDIR = $(PREFIX)/bin
DATADIR = $(PREFIX)/share
export PREFIX DESTDIR LIBDIR INCLUDEDIR MANDIR BINDIR DATADIR

tool = .build/release/weir
library = .build/lib/libweir.a
pages = .build/man/man7/weir.7
headers = $(wildcard include/*.h include/weir/*.h)

.PHONY: FORCE build release lib man docs setup run test test-sanitize test-undefined \
	test-limits test-kill test-bare \
	test-soak test-schedules test-dist bench dist install install-lib \
	install-tool uninstall install-dropins uninstall-dropins abi format lint clean help

build: release lib man ## the tool and the C library

setup: ## install the system packages that are missing (Debian, Ubuntu)
	@sh support/setup.sh

release: ## build the tool, optimized: .build/release/weir
	@sh support/release.sh

lib: ## build the C library, without Swift: .build/lib; CC= CFLAGS=
	@sh support/lib.sh configure
	@$(MAKE) --no-print-directory $(library)
	@sh support/lib.sh describe

$(library): .build/lib/config $(headers) $(shell find Sources/CWeir -name "*.[ch]") \
		support/lib.sh support/weir.map
	@sh support/lib.sh build

# Asked for again where make is told of a compiler; else it is as it was.
.build/lib/config: $(if $(findstring command,$(foreach name,CC CPPFLAGS \
		CFLAGS LDFLAGS,$(origin $(name)))),FORCE)
	@sh support/lib.sh configure
FORCE:

man: $(pages) ## make the manual pages from the headers: .build/man

$(pages): $(headers) $(wildcard man/*) CHANGELOG.md support/man.sh support/man.awk
	@sh support/man.sh

docs: ## make the pages of the Swift module: .build/docs; a warning fails
	@sh support/docs.sh

run: setup release ## hash a real tree and verify it; DIR=... for another one
	@sh support/run.sh $(tool) "$(DIR)"

test: setup ## run all tests
	@sh support/test.sh

test-sanitize: setup ## run them under the thread and address sanitizers (long)
	@sh support/test-sanitize.sh $(SANITIZERS)

test-soak: setup ## gate, groups, lanes, loops: RUNS=200 under each of them (long)
	@sh support/soak.sh $(SANITIZERS)

test-schedules: setup ## threads and tasks at a gate: SCHEDULES=100000, in a release build
	@sh support/test-schedules.sh

test-limits: setup ## hash a tree at each ulimit -n from 8 to 64 (long)
	@WEIR_TEST_LIMITS=all swift test --disable-xctest --filter LimitTests

test-kill: setup ## kill -9 a run over 20,000 files KILLS=200 times, and go on (long)
	@WEIR_TEST_KILLS=$${KILLS:-200} swift test --disable-xctest --filter KillTests

test-undefined: setup ## run them under the undefined behaviour sanitizer
	@sh support/test-undefined.sh

test-bare: ## run `make run` and `make test` on a bare Debian 12, as root (long)
	@sh support/test-bare.sh

test-dist: dist ## use what dist has made where there is nothing else (long)
	@sh support/test-dist.sh

bench: release ## measure; BENCH=... is handed on to Benchmarks/run
	@Benchmarks/run $(tool) $(BENCH)

dist: setup $(pages) ## an archive with the tool that runs on any Linux: .build/dist
	@sh support/dist.sh

# Without Swift the library alone. `sudo make install` needs neither Swift nor a
# libdispatch in root's PATH, and builds nothing, once `make` has built all.
install: install-lib ## install all: PREFIX=/usr/local LIBDIR= DESTDIR=
	@if command -v swift >/dev/null || [ -x $(tool) ]; then \
		$(MAKE) --no-print-directory install-tool; \
	else \
		echo "install: the C library; not the tool: there is no swift"; \
	fi

install-lib: $(library) $(pages) ## install the C library: headers, weir.pc, man pages
	@sh support/install.sh lib

# Builds where it can, so that nothing old is installed.
install-tool: $(pages) ## install the tool: its manual pages and completions too
	@! command -v swift >/dev/null || $(MAKE) --no-print-directory release
	@sh support/install.sh tool $(tool)

uninstall: $(pages) ## take away what install put there, with the same PREFIX
	@sh support/install.sh uninstall

# DIR comes before /usr/bin in somebody's PATH; nothing there is overwritten.
install-dropins: ## sha256sum and its like as links to the tool: DIR=...
	@sh support/dropins.sh install "$(DIR)"

uninstall-dropins: ## take these links away: DIR=...
	@sh support/dropins.sh uninstall "$(DIR)"

abi: ## what changed since the last tag, for compiled programs; AGAINST=...
	@sh support/abi.sh $(AGAINST)

format: ## bring the sources into the house's layout
	@sh support/format.sh

lint: ## check layout, C under strict warnings, headers alone, scripts
	@sh support/lint.sh

clean: ## remove everything that was built
	rm -rf .build .build-* examples/*/.build Benchmarks/.build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | \
		expand -t 24
