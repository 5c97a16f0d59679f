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
# What a backend can change, but for tests that are marked `once`. The formulas in
# tests/memnets/test_access.py and its like are written for both in one.
ON_JAX := $(wildcard tests/memnets/test_n*.py tests/memnets/test_dnc*.py) \
	$(addprefix tests/memnets/test_,baselines.py readout.py saving.py tree_rnn.py) \
	tests/memnets/test_seq2seq.py tests/memnets/test_decoders.py \
	tests/memnets/test_captioner.py tests/memnets/test_fast_weights.py \
	tests/memnets/test_memory_network.py \
	tests/memnets/test_stack.py tests/memnets/test_lrua.py \
	tests/memnets/test_sam.py tests/memnets/test_own_memory.py tests/memnets/test_hash_index.py \
	tests/memnets/test_scheduled_sampling.py \
	tests/memnets/test_stateful_training.py \
	tests/conformance/test_matrix.py \
	$(addprefix tests/tasks/training/test_,guarded.py resume.py stateful.py training.py) \
	tests/tasks/test_hessian_free.py \
	$(addprefix tests/metrics/test_,generation.py token_bleu.py)

.PHONY: demo captions test lint docs clean

demo: $(VENV)/installed
	$(BIN)/memnets train copy --model ntm-feedforward --out runs/demo --force

# Its operations are small: on several threads TensorFlow spends its time on waiting.
captions: $(VENV)/installed
	OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 $(BIN)/memnets train captioning \
		--model cnn-gru-attention --out runs/captions --force

test: $(VENV)/installed-test
	$(BIN)/pytest $(IN_PARALLEL)
	KERAS_BACKEND=jax $(BIN)/pytest $(IN_PARALLEL) -m "not once" $(ON_JAX)

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
