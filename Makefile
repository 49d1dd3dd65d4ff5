# make verify   install what is missing, build, and verify the failure detector
# make test     the tests (installs the solvers too)
# make lint     gofmt, go vet, staticcheck, layout of the examples
# make bench    the tables of the papers, ours beside theirs; figures go to bench/results
# make fuzz     run every fuzz target for FUZZTIME (default 30s) each

GO ?= go
FUZZTIME ?= 30s
export CGO_ENABLED = 0

.PHONY: all verify build test lint bench fuzz solvers clean

all: build

build:
	$(GO) build -trimpath -o bin/erelong ./cmd/erelong

verify: solvers build
	./bin/erelong verify examples/failure_detector/strong_accuracy.ere
	./bin/erelong verify --expect examples/failure_detector/small_timeout.ere --instance d2p4

test: solvers
	$(GO) test ./...

lint:
	@files=$$(gofmt -l cmd internal bench); if [ -n "$$files" ]; then echo "gofmt: $$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool -modfile=tools/tools.mod staticcheck ./...
	$(GO) run ./cmd/erelong fmt --check $$(find examples -name '*.ere' | sort)

bench: build
	$(GO) run ./bench

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
