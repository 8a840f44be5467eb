SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV   ?= .venv
EXTRAS ?= tau2,notebook,dev
# Pins torch's CPU build. On a machine with a GPU leave it out: make setup TORCH_CONSTRAINTS=
TORCH_CONSTRAINTS ?= constraints-torch.txt
TRACES ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=

PY    := $(VENV)/bin/python
READY := $(VENV)/.ready
PEERS := $(patsubst peers/%.txt,.venv-peers/%/.ready,$(wildcard peers/*.txt))

# tau2 imports litellm, which otherwise asks the network for a price list.
export LITELLM_LOCAL_MODEL_COST_MAP := True

.PHONY: help setup demo test check lint types lab bench peers constraints clean

help: ## Say what there is to make
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

$(READY): pyproject.toml constraints.txt $(TORCH_CONSTRAINTS) scripts/setup.sh
	@scripts/setup.sh $(VENV) "-e .[$(EXTRAS)]" constraints.txt $(TORCH_CONSTRAINTS)

setup: ## Make the environment anew where it differs (EXTRAS=tau2,notebook,models,dev adds models)
	@scripts/setup.sh $(VENV) "-e .[$(EXTRAS)]" constraints.txt $(TORCH_CONSTRAINTS)

demo: $(READY) ## Judge tau2-bench's own answers, and recorded traces: TRACES="one.json two.json"
	@$(PY) -m agentc demo $(if $(TRACES),--traces $(TRACES))

test: $(READY) ## Run the tests (PYTEST_ARGS="tests/dsl -k text" runs some)
	@$(PY) -m pytest $(PYTEST_ARGS)

check: lint types ## Lint and check types

lint: $(READY)
	@$(PY) -m ruff check .

types: $(READY)
	@$(PY) -m mypy

lab: $(READY) ## Open JupyterLab
	@$(PY) -m jupyter lab

bench: $(READY) peers ## Measure the engines and the peers, and draw the figure
	@$(PY) -m bench $(BENCH_ARGS)

peers: $(PEERS) ## Make the separate environments of what agentc is compared with

.venv-peers/%/.ready: peers/%.txt scripts/setup.sh
	@scripts/setup.sh .venv-peers/$* "-r peers/$*.txt"

constraints: EXTRAS := tau2,notebook,models,dev
constraints: setup ## Write the versions now installed, models included, to constraints.txt
	@scripts/freeze.sh $(PY) > constraints.tmp
	@mv constraints.tmp constraints.txt

clean: ## Remove environments, caches and what runs left behind
	rm -rf $(VENV) .venv-peers out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis constraints.tmp
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
