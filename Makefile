# Weir. `make help` lists the targets. A recipe longer than a few lines is a
# script in support/.

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

.PHONY: FORCE build release lib man docs setup run board board-program demos course site test \
	test-examples test-sanitize test-undefined test-limits test-kill test-faults test-names test-calls \
	test-tables check-lib test-random test-chance test-times test-waits test-posix test-targets test-aarch64 test-model test-bare test-cluster test-browser test-board test-course test-site test-perfetto \
	teaching-pictures test-soak test-endurance test-schedules test-dist test-deb fuzz bench \
	dist deb rpm source release-check install install-lib test-races test-mapped \
	install-tool install-demos uninstall install-dropins uninstall-dropins abi format lint clean help

build: release lib man ## build the tool, the C library and the manual pages

setup: ## install the missing system packages (Debian, Ubuntu)
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

# Made again if the command line names a compiler; else kept.
.build/lib/config: $(if $(findstring command,$(foreach name,CC CPPFLAGS \
		CFLAGS LDFLAGS,$(origin $(name)))),FORCE)
	@sh support/lib.sh configure
FORCE:

man: $(pages) ## make the manual pages of the library: .build/man

$(pages): $(headers) $(wildcard man/* man/examples/*) CHANGELOG.md $(wildcard support/man*)
	@sh support/man.sh

docs: release ## make docs/options.md, and the pages of the Swift module: .build/docs
	@$(tool) --generate-reference >docs/options.md
	@sh support/docs.sh

run: setup release ## hash a real tree and verify the digests; DIR=... for another tree
	@sh support/run.sh $(tool) "$(DIR)"

demos: setup ## build the program that teaches concurrency: .build/demos/release/weir-demo
	@swift build -c release --package-path examples/demos --scratch-path .build/demos \
		--product weir-demo

board: board-program ## serve the demos as a page in the browser; PORT=8470, CLASS=yes for a class
	@.build/board/release/board --open $(if $(PORT),--port $(PORT)) $(if $(CLASS),--class)

board-program: setup
	@swift build -c release --package-path examples/board --scratch-path .build/board \
		--product board

course: demos ## write the course as static pages: .build/course/index.html
	@sh support/course.sh

site: docs course $(pages) ## write the site as static pages: .build/site; SITE_SOURCE= the sources on a forge
	@sh support/site.sh

test: setup ## run the tests
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test.sh

test-random: release ## run the suites with random inputs for MINUTES=5, a new seed each round
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test-random.sh $(SUITES)

test-chance: release ## run the tests, also of the examples, RUNS=20 times beside a load, and on one core (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test-chance.sh

test-times: release ## show the time of the build by module, and of each suite and test (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test-times.sh

test-waits: release ## run the tests that measure real waits (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test.sh waits

check-lib: setup ## run the tests of the C library, without Swift; NAME="gate lanes" for some
	@sh support/check-lib.sh $(NAME)

test-posix: setup ## run the tests with the sources for POSIX, as on other systems (long)
	@sh support/test.sh posix

test-aarch64: ## run the C programs for aarch64 under qemu-user; DISPATCH_SOURCE=DIR (long)
	@sh support/test-aarch64.sh

test-targets: ## compile the C sources for macOS, FreeBSD, musl and aarch64 (long)
	@sh support/test-targets.sh

test-examples: setup ## run the tests of the packages in examples
	@sh support/test.sh examples

test-sanitize: setup ## run the tests with the thread and the address sanitizer (long)
	@sh support/test-sanitize.sh $(SANITIZERS)

test-soak: setup ## run the tests of gate, groups, lanes and loops RUNS=200 times (long)
	@sh support/soak.sh $(SANITIZERS)

test-schedules: setup ## run SCHEDULES=100000 at random of each scenario (long)
	@sh support/test-schedules.sh

test-limits: setup ## hash a tree at each ulimit -n from 8 to 64 (long)
	@WEIR_TEST_TRANSCRIPT=hash/order sh support/test.sh WEIR_TEST_TABLES=all TranscriptTests

test-kill: setup ## kill -9 what keeps something at all calls, and resume (long)
	@sh support/test.sh WEIR_TEST_KILLS=all CallKillTests
	@WEIR_TEST_TRANSCRIPT=session/kills sh support/test.sh WEIR_TEST_TABLES=all TranscriptTests

test-endurance: release ## run every verb and the libraries for MINUTES=60, under pressure (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/endurance.sh

test-faults: release ## fail each call of each verb once, and from then on, with each error; FAULTS=compare for some (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test.sh "WEIR_TEST_FAULTS=$${FAULTS:-all}" FaultTests

test-names: setup ## random names in the messages of all verbs, TREES=100 names (long)
	@WEIR_TEST_TRANSCRIPT=session/messages sh support/test.sh WEIR_TEST_RANDOM_NAMES=$${TREES:-100} TranscriptTests

test-model: release ## HISTORIES=20000 random histories of trees, ledgers and kills, with an oracle (long)
	@WEIR_TEST_TOOL=$(CURDIR)/$(tool) sh support/test.sh WEIR_TEST_MODEL=$${HISTORIES:-20000} LedgerModelTests

fuzz: setup ## fuzz each parser SECONDS=60 on two cores; FUZZ="manifest glob" for some (long)
	@FUZZ_SECONDS=$(or $(SECONDS),60) Fuzz/run $(FUZZ)

test-mapped: setup ## change mapped files, or take their storage away, RACES=2000 times, also with ASan (long)
	@WEIR_TEST_MAPPED_RACES=$${RACES:-2000} sh support/check-lib.sh linux_mapped
	@SANITIZER=address WEIR_TEST_MAPPED_RACES=$${RACES:-2000} sh support/check-lib.sh linux_mapped

test-races: setup ## change the tree at every step of every verb, 3,700 races; RACES="hash -o" for some (long)
	@sh support/test.sh WEIR_TEST_RACES="$${RACES:-all}" RaceTests

test-calls: setup ## compare CALLS=3000 random calls of each drop-in name's tool (long)
	@WEIR_TEST_TRANSCRIPT=dropins/calls sh support/test.sh WEIR_TEST_CALLS=$${CALLS:-3000} TranscriptTests

test-tables: setup ## run the tables of which make test runs a sample (long)
	@sh support/test.sh WEIR_TEST_TABLES=all TranscriptTests
	@WEIR_TEST_TRANSCRIPT=package/ sh support/test.sh WEIR_TEST_TABLES=all TranscriptTests

test-undefined: setup ## run the tests with the undefined behavior sanitizer (long)
	@sh support/test-undefined.sh

test-browser: demos ## open the demos' HTML reports in Chromium; PAGES=... for other files
	@sh support/browser.sh $(PAGES)

test-board: board-program ## open the board in Chromium; CHECKS="downloads class" for some of the checks
	@sh support/board.sh $(CHECKS)

test-course: demos ## test the game of the schedules with node, and the course in Chromium
	@sh support/test-course.sh

test-site: site ## open every page of the site in Chromium: axe, links, search; WIDTHS="400 1000 1600"
	@sh support/test-site.sh

test-perfetto: release ## load traces in Perfetto's own engine; TRACES=... for other files
	@sh support/perfetto.sh $(TRACES)

teaching-pictures: demos board-program ## make the pictures of examples/README.md
	@sh support/teaching-pictures.sh

test-bare: ## run `make run` and `make test` on a bare Debian 12, as root (long)
	@sh support/test-bare.sh

test-cluster: $(if $(WEIR),,release) ## run shards on Slurm, MPI and ssh hosts, and kill nodes, as root; WEIR=...
	@sh support/test-cluster.sh

test-dist: dist ## test the archive of `make dist` in an empty root directory (long)
	@sh support/test-dist.sh

deb: dist ## make Debian packages of the tool, the library and the demos: .build/dist (long)
	@sh packaging/deb.sh

rpm: dist ## make .rpm packages of the tool: .build/dist (long)
	@sh packaging/rpm.sh

test-deb: deb ## install, upgrade and remove the packages on a bare Debian 12, as root (long)
	@sh packaging/test-deb.sh

source: ## make the archive of the sources, and a Homebrew formula for URL=...: .build/dist
	@sh packaging/source.sh "$(URL)"

release-check: release $(pages) ## check that this commit can be released; AGAINST=TAG BARE=yes
	@sh packaging/release-check.sh "$(AGAINST)" "$(BARE)"

bench: release ## measure; BENCH=... selects the benchmarks
	@Benchmarks/run $(tool) $(BENCH)

dist: setup ## make an archive with a tool for any Linux: .build/dist
	@sh support/dist.sh

# Without Swift, the library alone. After `make`, `sudo make install` builds
# nothing and needs neither Swift nor a libdispatch in root's PATH.
install: install-lib ## install everything: PREFIX=/usr/local LIBDIR= DESTDIR=
	@if command -v swift >/dev/null || [ -x $(tool) ]; then \
		$(MAKE) --no-print-directory install-tool; \
	else \
		echo "install: installed the C library only; swift is not in PATH"; \
	fi

install-lib: $(library) $(pages) ## install the C library: headers, weir.pc, man pages
	@sh support/install.sh lib

# With Swift, brings the tool up to date first.
install-tool: $(pages) ## install the tool: its manual pages and completions too
	@! command -v swift >/dev/null || $(MAKE) --no-print-directory release
	@sh support/install.sh tool $(tool)

install-demos: demos $(pages) ## install weir-demo and its manual page
	@sh support/install.sh demos .build/demos/release/weir-demo

uninstall: $(pages) ## remove the installed files; the same PREFIX as for install
	@sh support/install.sh uninstall

# DIR comes before /usr/bin in the PATH of its users. No other file is replaced.
install-dropins: ## link sha256sum, b2sum, wc and others to the tool: DIR=...
	@sh support/dropins.sh install "$(DIR)"

uninstall-dropins: ## remove these links: DIR=...
	@sh support/dropins.sh uninstall "$(DIR)"

abi: ## compare the C library's ABI with the last tag; AGAINST=...
	@sh support/abi.sh $(AGAINST)

format: ## lay out the sources
	@sh support/format.sh

lint: ## check layout, includes, words, strict warnings, headers, scripts
	@sh support/lint.sh

clean: ## remove everything that was built
	rm -rf .build .build-* examples/*/.build Benchmarks/.build Fuzz/.build

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | \
		expand -t 24
