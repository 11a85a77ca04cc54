# Two commands do all the set-up: `make demo` and `make test`. Both need only Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REPO ?= .
# The empty $() keeps the question from being its own best answer.
Q ?= which files may be$() deleted by the collector

# Where `make embedder` keeps what it fetches and makes, and the benchmarks' code that must not be learned from.
EMBEDDER_WORK ?= $(HOME)/.cache/everdex-embedder
BENCHMARK_CODE ?= $(wildcard benchmarks/corpora/search-dev/* benchmarks/corpora/docstrings/trees)

.PHONY: demo test bench embedder clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/everdex index $(REPO)
	$(BIN)/everdex search "$(Q)" $(REPO)

test: $(VENV)/.installed
	$(BIN)/ruff check src tests benchmarks docs training
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/.installed
	$(BIN)/python -m pip install -q --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/run.py

embedder: $(VENV)/.installed
	$(BIN)/python -m training.run --work $(EMBEDDER_WORK) $(foreach path,$(BENCHMARK_CODE),--benchmark $(path))

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
