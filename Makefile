# make verify   install what is missing, build, and verify the failure detector
# make test     the tests (installs the solvers too)
# make lint     gofmt, go vet, staticcheck, layout of the examples
# make bench    the tables of the papers, ours beside theirs; figures go to bench/results
# make bench-compare OLD=REVISION NEW=REVISION TABLE=state   which rows changed by more than noise
# make embed    fetch z3 as WebAssembly (npm package z3-solver), to be part of what build-embed and release make
# make test-ci, make test-full, make test-long   more and more: what CI runs, slow proofs, thousands of systems (hours)
# make test-embed   the tests of z3 inside
# make mutants   plants small faults and reports which of them the tests notice; PACKAGE=internal/bounds for one package
# make test-rewrites   specifications in other words have the same verdicts: all examples, each rewrite; hours
# make test-real   logs of real programs against their specifications (examples/real)
# make site     the documentation as a site with a search and the playground, in SITE; it needs no network
# make release VERSION=v0.4.0   what a version is published as: archives, packages, checksums, in dist/VERSION
# make playground   the folder PLAYGROUND: a page on which specifications can be tried, for any web server
# make test-browser   the page and the playground in headless Chromium; make pictures draws the pictures of docs/ anew
# make vscode   the extension of VS Code, as a .vsix (needs node and npm)
# make fuzz     run every fuzz target for FUZZTIME (default 30s) each

GO ?= go
FUZZTIME ?= 30s
export CGO_ENABLED = 0

.PHONY: vscode all site release playground pictures test-browser test-ci test-full test-rewrites verify build build-embed embed licences test test-embed test-long test-real lint mutants bench bench-compare fuzz solvers clean

all: build

build:
	$(GO) build -trimpath -o bin/erelong ./cmd/erelong

build-embed: embed
	$(GO) build -trimpath -tags embedz3 -o bin/erelong ./cmd/erelong

embed:
	$(GO) run ./tools/embedz3 internal/smt/wasmz3/module

DIST = dist

# Z3= leaves out the programs with z3 inside. The same sources give the same files.
Z3 = -z3

release:
	@$(GO) run ./tools/release -check -version "$(VERSION)"
	$(if $(Z3),$(MAKE) embed)
	$(GO) run ./tools/release -version $(VERSION) -date $$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ) $(Z3) $(DIST)/$(VERSION)

SITE = dist/site

# The documentation as static pages with a search, and the playground in it.
site:
	$(GO) run ./tools/site $(SITE)
	$(GO) run ./tools/playground $(SITE)/playground

PLAYGROUND = dist/playground

playground:
	$(GO) run ./tools/playground $(PLAYGROUND)

vscode:
	cd editors/vscode && npm ci --no-audit --no-fund && npm test && npm run package

licences:
	$(GO) run ./tools/licences ./cmd/erelong internal/cli/licences.txt

verify: solvers build
	./bin/erelong verify examples/failure_detector/strong_accuracy.ere
	./bin/erelong verify --expect examples/tutorial/detector_hasty.ere

# The packages whose tests take longest begin first, so that none is left to run alone at the end.
LONGEST = ./internal/cli ./internal/verify ./internal/engine/ranking ./internal/derive

# A heap of tests is small: with Go's share of garbage a fifth of their time goes into collections.
test: export GOGC ?= 400
test: solvers
	$(GO) test -vet=off -timeout 30m $(LONGEST) ./...

# The tests do more at each of these levels (internal/testkit/level.go).
test-ci:
	ERELONG_TEST=ci $(MAKE) test

test-full:
	ERELONG_TEST=full $(MAKE) test

test-embed: embed
	$(GO) test -tags embedz3 ./internal/wasm/unwind ./internal/smt/...
	$(GO) test -tags embedz3 ./internal/cli -run Embedded

BROWSER = internal/serve/testdata/browser

test-browser: playground build
	@sh tools/install-browser
	cd $(BROWSER) && npm ci --no-audit --no-fund --silent
	ERELONG_BROWSER=1 ERELONG_PLAYGROUND=$(abspath $(PLAYGROUND)) ERELONG_PROGRAM=$(abspath bin/erelong) $(GO) test -count=1 -v ./internal/serve -run 'TestBrowser|TestPlayground'

# The pictures of README.md and docs, from the page and the program as they are. The editor needs nvim and tmux.
pictures: playground build
	@sh tools/install-browser
	cd $(BROWSER) && npm ci --no-audit --no-fund --silent
	ERELONG_BROWSER=1 ERELONG_PLAYGROUND=$(abspath $(PLAYGROUND)) ERELONG_PROGRAM=$(abspath bin/erelong) ERELONG_PICTURES=$(abspath docs/pictures) $(GO) test -count=1 ./internal/serve -run "TestBrowser|TestPlayground"
	ERELONG_CACHE=off PATH=$(abspath bin):$$PATH $(GO) run ./tools/terminal -o docs/pictures/terminal.svg -title "erelong finds a violation, and proves a failure detector" -script docs/pictures/terminal.script
	sh tools/terminal/editor bin/erelong examples/tutorial/lock_wrong.ere > bin/editor.frame
	$(GO) run ./tools/terminal -o docs/pictures/editor.svg -title "Neovim: a violated property with its message, and the commands above it" bin/editor.frame

test-long: export ERELONG_TEST = long
test-long: embed solvers
	$(GO) test -timeout 2h -v ./internal/smt ./internal/cli -run "Long|Examples|Models"
	$(GO) test -timeout 2h -v ./internal/verify -run "Company|Without|Contradictions|Notes"
	$(GO) test -timeout 6h -v ./internal/engine/ranking -run "NeverHolds|WithoutHints|MissedHints"
	$(GO) test -timeout 6h -v ./internal/engine/zone -run Long
	$(GO) test -timeout 1h -v ./internal/work/queue -run LostLevels
	$(GO) test -timeout 6h -v ./internal/derive -run "TestOracle|Faults"
	$(GO) test -timeout 6h -v ./internal/referee

test-rewrites: solvers
	ERELONG_REWRITES=1 $(GO) test -timeout 12h -v ./internal/referee -run Wording

# Each subject, and the check of the manifest for Kubernetes, is a module of its own; one whose
# modules cannot be downloaded is left out, by name.
test-real:
	@set -e; for d in examples/real/*/ deploy/check/; do \
	  if (cd $$d && $(GO) mod download >/dev/null 2>&1); then echo "== $$d"; (cd $$d && $(GO) vet -tags with_tla ./... && $(GO) test -count=1 -tags with_tla ./...); \
	  else echo "left out: the modules of $$d cannot be downloaded"; fi; \
	done

lint:
	@files=$$(gofmt -l *.go cmd internal bench tools); if [ -n "$$files" ]; then echo "gofmt: $$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool -modfile=tools/tools.mod staticcheck ./...
	ERELONG_LINT=1 $(GO) test ./internal/archtest -run TestWidth
	$(GO) run ./cmd/erelong fmt --check $$(find examples -name '*.ere' | sort)

# Into each package that verdicts hang on, or into PACKAGE. It takes hours; docs/trust.md has the table.
mutants: solvers
	$(GO) run ./tools/mutants $(MUTANTS) $(PACKAGE)

bench: build
	$(GO) run ./bench

# The two revisions are built beside each other; NEW is the working tree if it is not given.
bench-compare: build
	@test -n "$(OLD)" || { echo "usage: make bench-compare OLD=REVISION [NEW=REVISION] [TABLE=NAMES]"; exit 2; }
	@set -e; mkdir -p bin/compare; for r in $(OLD) $(NEW); do \
	  rm -rf bin/compare/source; mkdir bin/compare/source; git archive "$$r" | tar -x -C bin/compare/source; \
	  (cd bin/compare/source && $(GO) build -trimpath -o "../$$(echo "$$r" | tr / _)" ./cmd/erelong); \
	done; rm -rf bin/compare/source
	$(GO) run ./bench -compare "bin/compare/$$(echo "$(OLD)" | tr / _)" -table "$(TABLE)" \
	  -erelong "$$(if [ -n "$(NEW)" ]; then echo "bin/compare/$$(echo "$(NEW)" | tr / _)"; else echo bin/erelong; fi)"

fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; $(GO) test $$pkg -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s; \
	  done; \
	done

# The proofs need an SMT solver. Either is enough; the tests compare both.
solvers:
	@sh tools/install-solvers

clean:
	rm -rf bin
