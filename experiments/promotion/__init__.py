"""Whether a compiled program takes the place of the current one: judged once, on test, with the reason written down."""
