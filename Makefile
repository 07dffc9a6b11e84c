# Every target sets up what it needs in .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.stamp-core
STAMP := $(VENV)/.stamp-dev
DOCS := $(VENV)/.stamp-docs

# Compiled modules are kept, whatever the environment says: the tests start more than a thousand processes, and each would
# compile all of plait again, which doubles its start.
unexport PYTHONDONTWRITEBYTECODE

PEERS := .venv-peers$(if $(COMPILED),-compiled)
PEERS_PYTHON ?=

.PHONY: demo test quick matrix wheels lint docs changelog bench bench-peers bench-suites clean

# What users install; the demonstration needs no more.
$(CORE): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $(CORE)

$(STAMP): $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

# Two versions of a bank account: what can only the new one do? (Exit code 1 means: something was found.)
demo: $(CORE)
	@$(BIN)/plait diff account:Account --old dir:benchmarks/demo/old --new dir:benchmarks/demo/new || test $$? -eq 1
	@echo "(To type such commands: . $(BIN)/activate)"

# A failing test fails: none gets a second try.
test: $(STAMP)
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 2 --dist worksteal --timeout 600

quick: $(STAMP)
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 2 --timeout 600 -m 'not slow'

# The test suite on every supported Python that is there or can be set up; MATRIX="--only 3.14 --smoke" chooses.
matrix:
	$(PYTHON) tools/matrix.py $(MATRIX)

# Wheels in dist/: a pure one, and a compiled one for each Python that is there; WHEELS="--only 3.12" chooses.
wheels: $(CORE)
	$(BIN)/python tools/wheels.py $(WHEELS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation as a web site, in site/; a link that leads nowhere is an error (not with --quiet: it hides them).
$(DOCS): $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $(DOCS)

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# What the next release changes, from the lines in changes/; RELEASE=1 writes it to CHANGELOG.md and removes them.
changelog: $(STAMP)
	$(BIN)/towncrier build $(if $(RELEASE),--yes,--draft) --version $$($(BIN)/python -c 'import plait; print(plait.__version__)')

# CPython's tests of rewritten modules, and the tests of the compiled engine, with those that take long.
bench-suites: $(STAMP)
	PLAIT_LONG=1 $(BIN)/python -m pytest -n 2 --dist worksteal --timeout 900 tests/run/importing/test_stdlib.py tests/run/test_compiled.py

bench: $(STAMP)
	$(BIN)/plait bench

# The engine beside frontrun and interleave-test, which need Python 3.12 or newer: PEERS_PYTHON, else the first one found.
# COMPILED=1 measures the compiled engine (which needs a C compiler), in another environment. It is built from a copy,
# because what is compiled stays beside its source, where it would be imported instead.
$(PEERS)/.stamp: pyproject.toml $(if $(COMPILED),$(shell find src -name '*.py'))
	@for python in $(PEERS_PYTHON) $(foreach v,3.13 3.12,python$(v) $(wildcard $(HOME)/.pyenv/versions/$(v).*/bin/python)) python3; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then break; fi; python=; \
	done; \
	test -n "$$python" || { echo "the peers need Python 3.12 or newer: make bench-peers PEERS_PYTHON=path" >&2; exit 2; }; \
	"$$python" -m venv $(PEERS)
ifdef COMPILED
	rm -rf build/compiled && mkdir -p build/compiled && cp -r pyproject.toml README.md LICENSE src build/compiled
	HATCH_BUILD_HOOKS_ENABLE=1 $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check './build/compiled[peers]'
else
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
endif
	touch $@

bench-peers: $(PEERS)/.stamp
	$(PEERS)/bin/plait bench engine

clean:
	rm -rf $(VENV) .venv-peers .venv-peers-compiled .pytest_cache .mypy_cache .ruff_cache plait-out .plait site build
