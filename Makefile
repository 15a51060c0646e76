# Weir. `make help` lists what there is; what is longer than a line stands in
# support/.

PREFIX = /usr/local
DESTDIR =

tool = .build/release/weir

.PHONY: build release setup run test test-sanitize bench install \
	format lint clean help

build: release ## the same as release

setup: ## install the system packages that are missing (Debian, Ubuntu)
	@sh support/setup.sh

release: ## build the tool, optimized: .build/release/weir
	@sh support/release.sh

run: setup release ## hash a real tree and verify it; DIR=... for another one
	@sh support/run.sh $(tool) "$(DIR)"

test: setup ## run all tests
	@sh support/test.sh

test-sanitize: setup ## run them under the thread and address sanitizers (long)
	@sh support/test-sanitize.sh $(SANITIZERS)

bench: release ## measure; BENCH=... is handed on to Benchmarks/run
	@Benchmarks/run $(tool) $(BENCH)

# Builds where it can, so that nothing old is installed; `sudo make install` needs
# no Swift in root's PATH.
install: ## install the tool; PREFIX=/usr/local DESTDIR=
	@! command -v swift >/dev/null || $(MAKE) release
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(tool) "$(DESTDIR)$(PREFIX)/bin/weir"
# The C library, its headers and its pkg-config file are installed from here
# once there are such.

format: ## bring the sources into the house's layout
	@sh support/format.sh

lint: ## check layout, C under strict warnings, headers alone, scripts
	@sh support/lint.sh

clean: ## remove everything that was built
	rm -rf .build .build-* examples/*/.build Benchmarks/.build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | \
		expand -t 24
