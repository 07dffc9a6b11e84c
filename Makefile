# Every target sets up what it needs in .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp-dev

.PHONY: demo test quick lint bench clean

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/python benchmarks/demo.py

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --timeout 600

quick: $(STAMP)
	$(BIN)/python -m pytest -n 2 --timeout 600 -m 'not slow'

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/plait bench

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache plait-out .plait
