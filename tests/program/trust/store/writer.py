"""A process that writes sessions from several threads and names each once it is committed, until it is killed or done.

`python -m tests.program.trust.store.writer PATH NAME THREADS SESSIONS`
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from program.trust.store import open_store
from tests.program.trust.store.sessions import WHOLE, session_of

ROOT = Path(__file__).resolve().parents[4]


def main(path: str, name: str, threads: int, sessions: int) -> None:
    """Write `sessions` of each thread, all children of nothing but themselves."""
    store = open_store(Path(path), environ={}, now=lambda: 1.0)
    lock = threading.Lock()

    def write(thread: int) -> None:
        for number in range(sessions):
            trace_id = f"{name}x{thread}x{number}"
            store.add(session_of(trace_id, 1.0, WHOLE))
            with lock:
                print(trace_id, flush=True)  # noqa: T201 - this is how the test hears of it

    writers = [threading.Thread(target=write, args=(thread,)) for thread in range(threads)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
