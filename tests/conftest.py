"""Settings of all tests."""

import atexit
import shutil
import tempfile

import keras

if keras.backend.backend() == "jax":
    import jax

    # Most of the time of these tests is compiling small loops, each run once, and
    # every direct call of a recurrent layer compiles its loop anew.
    _cache = tempfile.mkdtemp(prefix="memnets-jax-")
    atexit.register(shutil.rmtree, _cache, ignore_errors=True)
    jax.config.update("jax_disable_most_optimizations", True)
    jax.config.update("jax_compilation_cache_dir", _cache)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
