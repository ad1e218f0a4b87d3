"""REFLECT's signature; actions and change numbers are narrowed to what the budget and the catalog allow."""

import dspy


class Reflect(dspy.Signature):
    """A music search found too little. Say why and choose the repair that keeps most of what the listener asked for.

    retry_relaxed: loosen conditions by change numbers; prefer a high gain and a low cost, and keep what is marked core.
    retry_rewrite: another reading fits the words better."""

    request: str = dspy.InputField(desc="the listener's words")
    found: str = dspy.InputField(desc="how many tracks were found and how many are needed")
    changes: str = dspy.InputField(desc="numbered changes: what each loosens, tracks gained, cost in meaning 0 to 1")
    readings: str = dspy.InputField(desc="other readings of the request with their track counts, or none")
    action: str = dspy.OutputField(desc="the repair")
    chosen: list[str] = dspy.OutputField(desc="change numbers for retry_relaxed, else none")
    reading: str = dspy.OutputField(desc="reading number for retry_rewrite, else none")
    cause: str = dspy.OutputField(desc="why too little was found, at most 12 words")
