"""UNDERSTAND's signatures. Their docstrings and descs are prompt text and the seed of every optimizer.

The output types are narrowed for each request to the numbers that were offered. The words in braces are settings of the
catalog (`GroundingSettings`), filled in when the prompt is made.
"""

import dspy


class Understand(dspy.Signature):
    """Choose what a music request means. The catalog was searched for its words; choose among what was found, add nothing.

    Rules: trust the performer that the catalog names over memory. Popularity runs from 0 to 1; a name below {p_lo} is rarely
    meant when another reading has {p_hi} or more. A single everyday word is not a name unless the whole request is that word.
    An artist whose listed works do not fit the mention is not meant. Namesakes within {ambiguity_margin} of each other that
    no word of the request tells apart are unsure. Prefer the reading that uses the most words of the request."""

    request: str = dspy.InputField(desc="the listener's words")
    readings: str = dspy.InputField(desc="numbered readings of the whole request, the likeliest first")
    options: str = dspy.InputField(desc="numbered names and facets found for parts of the request")
    profile: str = dspy.InputField(desc="what the listener likes; only tells namesakes apart", default="")
    reading: str = dspy.OutputField(desc="the number of the reading that is meant")
    add: list[str] = dspy.OutputField(desc="numbers of options that are meant and missing from it; usually none")
    drop: list[str] = dspy.OutputField(desc="numbers of options in it that are not meant; usually none")
    unsure: list[str] = dspy.OutputField(desc="numbers of namesakes that only the listener can tell apart; usually none")
    name: str = dspy.OutputField(desc="a name in the request that nothing covers, copied from it; usually empty")


WITHOUT_RULES = """Choose what a music request means. The catalog was searched for its words; choose among what was found, \
add nothing."""
"""`Understand`'s instructions when the rules (L2) are switched off."""


class DraftNames(dspy.Signature):
    """List the names in a music request: artists and works (songs or albums), left to right, copied word for word. Genres,
    moods and everyday words are no names. Most requests name nothing."""

    request: str = dspy.InputField(desc="the listener's words")
    names: list[str] = dspy.OutputField(desc='each as "artist: NAME" or "work: NAME"; usually none')


class NameThings(dspy.Signature):
    """List what a music request names. It is used as it is, without a look at the catalog."""

    request: str = dspy.InputField(desc="the listener's words")
    artists: list[str] = dspy.OutputField(desc="artists that the request asks for; usually none")
    titles: list[str] = dspy.OutputField(desc="songs or albums that the request asks for; usually none")
    unwanted: list[str] = dspy.OutputField(desc="names that the request rules out; usually none")
