# make demo       trains a Neural Turing Machine on the copy task and draws its report
# make captions   trains a network that describes pictures, and draws its report
# make test       runs the whole test suite, on both backends
# make lint       checks style and types
# make docs       builds the documentation as a site, build/site/index.html
#
# Each installs what it needs into .venv first, once. What is needed stands in setup.cfg.

# No file here is made by a built-in rule: make would compile memnets/native/src.
MAKEFLAGS += --no-builtin-rules
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILT_FROM := setup.cfg setup.py pyproject.toml metrics/meteor/native/alignment.cpp \
	tasks/vectors/native/vectors.cpp \
	$(wildcard memnets/native/src/*.*)
# A file at a time on each core: what a module sets up is set up once.
IN_PARALLEL := --numprocesses auto --dist loadfile
# Where a backend can change something. Tests that it cannot change are marked `once`.
ON_EACH_BACKEND := tests/memnets tests/conformance tests/metrics/keras tests/tasks/training

.PHONY: demo captions test lint docs clean

demo: $(VENV)/installed
	$(BIN)/memnets train copy --model ntm-feedforward --out runs/demo --force

# Its operations are small: on several threads TensorFlow spends its time on waiting.
captions: $(VENV)/installed
	OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 $(BIN)/memnets train captioning \
		--model cnn-gru-attention --out runs/captions --force

test: $(VENV)/installed-test
	$(BIN)/pytest $(IN_PARALLEL)
	KERAS_BACKEND=jax $(BIN)/pytest $(IN_PARALLEL) -m "not once" $(ON_EACH_BACKEND)

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) runs build *.egg-info

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BUILT_FROM) | $(BIN)/pip
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/installed-%: $(BUILT_FROM) | $(BIN)/pip
	$(BIN)/pip install --quiet --editable '.[$*]'
	touch $@ $(VENV)/installed
