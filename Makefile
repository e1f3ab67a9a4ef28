# `make demo` and `make test` need Python 3.11, make, gcc and git; everything else comes by pip into .venv.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
# A change of a pin or of the package's own metadata names another stamp, and so installs again.
STAMP := $(VENV)/.installed-$(shell cat requirements.lock requirements-nodeps.lock pyproject.toml scripts/setup | cksum | tr ' ' '-')

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export OMP_WAIT_POLICY := PASSIVE
export GOMP_SPINCOUNT := 10000

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow bench peers bench-store benchmarks-page lint format clean

help: ## say what there is
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):[^#]*## /\1|/' | awk -F'|' '{printf "  make %-16s %s\n", $$1, $$2}'

$(STAMP):
	@scripts/setup $(VENV) $(STAMP)

setup: $(STAMP) ## make .venv with everything pinned

demo: $(STAMP) ## the whole loop: a real model learns to run a shop's customer service
	@$(BIN)/coevolve run examples/shop.toml --resume

test: $(STAMP) ## lint, types and tests, as CI runs them
	@scripts/check

test-slow: $(STAMP) ## the tests that take minutes
	@$(BIN)/pytest -q -m slow

bench: $(STAMP) ## rerun the figures of docs/benchmarks.md (long)
	@$(BIN)/python benchmarks/loop.py

$(PEERS)/.installed: benchmarks/peers.lock | $(STAMP)
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PEERS)/bin/python -m pip install -qq --disable-pip-version-check -r benchmarks/peers.lock
	@touch $@

peers: $(PEERS)/.installed ## install MLflow and Arize Phoenix into .venv-peers

bench-store: $(STAMP) $(PEERS)/.installed ## rerun the experience store's figures beside its peers (long)
	@$(BIN)/python benchmarks/store.py --peers $(PEERS)

benchmarks-page: $(STAMP) ## write docs/benchmarks.md from benchmarks/results
	@$(BIN)/python benchmarks/page.py

lint: $(STAMP) ## style and types alone
	@scripts/check lint

format: $(STAMP) ## rewrite the code to the style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean: ## remove caches; .venv and runs stay
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	@find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
