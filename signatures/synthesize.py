"""SYNTHESIZE's signature: wording only; tracks, order and facts are decided before."""

import dspy


class Synthesize(dspy.Signature):
    """Write the title and the description of a finished playlist in the listener's language. Use only the facts given:
    no other names, numbers or claims. If something was given up, the description says so."""

    request: str = dspy.InputField(desc="the listener's words")
    tracks: str = dspy.InputField(desc="the chosen tracks")
    given_up: str = dspy.InputField(desc="what was changed to find enough, or nothing")
    locale: str = dspy.InputField(desc="language code to write in")
    title: str = dspy.OutputField(desc="playlist title, 2 to 6 words")
    description: str = dspy.OutputField(desc="one or two plain sentences")
