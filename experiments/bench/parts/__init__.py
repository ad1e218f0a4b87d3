"""One file a part of the benchmark. A part runs in a process of its own."""
