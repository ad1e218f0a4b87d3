"""`make ui`: MLflow's own page over the store of runs, on this machine only."""

from __future__ import annotations

import os
import subprocess
import sys

from experiments.tracking import user_data
from program.lm.environment import private_defaults

HOST, PORT = "127.0.0.1", "5000"


def main() -> int:
    """Serve the page until it is interrupted; the exit code of the server."""
    private_defaults()
    folder = user_data() / "mlflow"
    folder.mkdir(parents=True, exist_ok=True)
    store = os.environ.get("MLFLOW_TRACKING_URI", "").strip() or f"sqlite:///{folder / 'mlflow.db'}"
    port = os.environ.get("PORT", PORT)
    sys.stderr.write(f"melo: http://{HOST}:{port} shows the runs; stop it with Ctrl-C\n")
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", store, "--host", HOST, "--port", port]
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
