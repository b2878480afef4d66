# Every target sets up what it needs in .venv; plain pip, pinned by constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export NO_MKDOCS_2_WARNING := 1
export PYTHONUTF8 := 1

.PHONY: serve site check test audit lint bench setup clean

serve: setup
	$(BIN)/mkdocs serve --livereload

site: setup
	$(BIN)/mkdocs build --strict

check: setup
	$(BIN)/python -m ffnsite check

setup: $(VENV)/ready
	$(BIN)/python -m ffnsite setup

test: $(VENV)/ready-dev setup
	$(BIN)/python tests/browser/install.py
	$(BIN)/python -m ffnsite draw
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

audit: setup
	$(BIN)/python -m ffnsite study audit

bench: $(VENV)/ready-dev setup
	$(BIN)/python tests/bench/bench_check.py
	$(BIN)/python tests/bench/bench_build.py

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "需要 Python 3.11 或更新；可用 make PYTHON=/路径/python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "建不了 $(VENV)；Debian 和 Ubuntu 上先装 python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf site .cache
