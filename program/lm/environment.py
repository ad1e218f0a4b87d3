"""Where this user's files lie, and the environment variables that keep the libraries offline, private and civil.

Entry points call `private_defaults()` before any LM library does work; importing this module changes nothing.
"""

import os
from pathlib import Path

import platformdirs

_DEFAULTS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
    "DO_NOT_TRACK": "true",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # llama.cpp's threads otherwise spin at every barrier: one busy neighbour made calls 100 times slower (measured).
    "GOMP_SPINCOUNT": "300",
}


def user_cache() -> Path:
    """The folder for brains and caches: `MELO_HOME` if it is set, else the user's cache folder. Not created here."""
    home = os.environ.get("MELO_HOME", "").strip()
    return Path(home).expanduser() if home else platformdirs.user_cache_path("melo", appauthor=False)


def user_data() -> Path:
    """The folder for what must outlast a cleared cache: `MELO_HOME` if it is set, else the user's data folder. Not created."""
    home = os.environ.get("MELO_HOME", "").strip()
    return Path(home).expanduser() if home else platformdirs.user_data_path("melo", appauthor=False)


def private_folder(path: Path) -> Path:
    """Create `path` and its parents; the folder itself is readable by its owner only (0700)."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def private_defaults() -> None:
    """Set the variables that stop telemetry and start-up downloads, and give DSPy a private cache folder.

    Values that the user has set stay as they are.
    """
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    if "DSPY_CACHEDIR" not in os.environ:
        os.environ["DSPY_CACHEDIR"] = str(private_folder(user_cache() / "dspy"))
