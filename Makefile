# Two commands do all the set-up: `make demo` and `make test`. Both need only Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REPO ?= .
Q ?= how is a snapshot published atomically

.PHONY: demo test bench clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/everdex index $(REPO)
	$(BIN)/everdex search "$(Q)" $(REPO)

test: $(VENV)/.installed
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/.installed
	$(BIN)/python -m pip install -q --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
