"""A stranger's OpenAI-compatible server: llama.cpp's own, in a process of its own that does nothing else.

`python llama_server.py WEIGHTS.gguf ALIAS` prints the server's address on one line and serves until it is ended.
"""

from __future__ import annotations

import sys
import threading


def serve(weights: str, alias: str) -> None:
    """Serve one model on a free loopback port."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {alias}
    params.n_parallel = 2
    params.n_ctx = 8192
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.verbosity = -1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - the address is what this process tells
    threading.Event().wait()


if __name__ == "__main__":
    serve(*sys.argv[1:3])
