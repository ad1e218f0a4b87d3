"""UNDERSTAND's signature. Its docstring and descs are prompt text and the seed of every optimizer.

The output types are narrowed for each request to the numbers that were offered.
"""

import dspy


class Understand(dspy.Signature):
    """Choose what a music request means. The catalog was searched for its words; choose among what was found, add nothing.

    Rules: trust the performer that the catalog names over memory. A "thin" name is rarely meant when another reading is
    "popular". A single everyday word is not a name unless the whole request is that word. An artist whose listed works do
    not fit the mention is not meant. Prefer the reading that uses the most words of the request."""

    request: str = dspy.InputField(desc="the listener's words")
    readings: str = dspy.InputField(desc="numbered readings of the whole request, the likeliest first")
    options: str = dspy.InputField(desc="numbered names and facets found for parts of the request")
    reading: str = dspy.OutputField(desc="the number of the reading that is meant")
    add: list[str] = dspy.OutputField(desc="numbers of options that are meant and missing from it; usually none")
    drop: list[str] = dspy.OutputField(desc="numbers of options in it that are not meant; usually none")
    name: str = dspy.OutputField(desc="a name in the request that nothing covers, copied from it; usually empty")
