# Everything a newcomer needs: Python 3.11, make and a package registry. `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup brain demo test lint format coverage bench ui clean

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.melo-setup
LOG := $(VENV)/setup.log
PACKAGES := data signatures program optimizers experiments tests
BRAIN := smollm2-135m
REQUEST := niche Icelandic post-punk

# What a caller's shell may carry that would put other code or another place in the environment.
unexport PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install the pinned packages into it (does nothing when it is up to date)

# pip writes to a log, shown only when it fails.
$(STAMP): pyproject.toml constraints.txt
	@set -eu; \
	if ! $(BIN)/python -c 'import pip' 2>/dev/null; then \
	  python=; \
	  for name in python3.11 python3; do \
	    if $$name -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then echo 'setup: Python 3.11 or newer with its venv module is needed' >&2; exit 1; fi; \
	  echo "setup: $(VENV) from $$($$python --version)"; \
	  $$python -m venv --clear $(VENV); \
	fi; \
	echo "setup: the pinned packages (the first time takes a minute or two; log: $(LOG))"; \
	if ! $(BIN)/python -m pip install -c constraints.txt -e '.[dev]' >$(LOG) 2>&1; then \
	  grep -v "Location '.*' is ignored" $(LOG) | tail -n 30 >&2; \
	  echo 'setup: failed, see above; run make setup again to go on' >&2; exit 1; \
	fi; \
	touch $(STAMP); \
	echo 'setup: done'

brain: $(STAMP)
	@$(BIN)/melo brain install $(BRAIN)

demo: brain ## set up, then answer one request with the embedded language model
	@$(BIN)/melo ask '$(REQUEST)' --lm embedded/$(BRAIN)

lint: $(STAMP) ## check style, formatting, types and the layers
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP) ## sort imports, apply the safe fixes and format
	@$(BIN)/ruff check --fix --exit-zero
	@$(BIN)/ruff format

test: lint brain ## set up, run every check and the test suite
	@$(BIN)/python -m pytest -n auto --dist loadfile

coverage: brain ## run the test suite and show the lines and branches it misses
	@$(BIN)/python -m pytest --cov --cov-report=term-missing:skip-covered

ui: $(STAMP) ## open the MLflow page of all runs (http://127.0.0.1:5000)
	@$(BIN)/python -m experiments.ui

bench: brain ## measure start-up, index, lookup and answers; results go to experiments/results/
	@$(BIN)/python -m experiments.bench

clean: ## remove caches and build results (remove .venv by hand to start over)
	@rm -rf build dist htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	@find $(PACKAGES) -name __pycache__ -type d -prune -exec rm -rf {} +
