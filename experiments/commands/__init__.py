"""One file a command of `melo`."""
