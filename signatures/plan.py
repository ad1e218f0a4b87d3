"""PLAN's signatures, for one call and for a step of its loop; numbers are narrowed to what the intent can use."""

import dspy


class PlanRoutes(dspy.Signature):
    """Choose the retrieval tools for a music request, the most useful first. Use exact search for names and conditions,
    search by meaning for atmosphere and for rare requests, and both when either alone may find too little."""

    intent: str = dspy.InputField(desc="what the listener asks for")
    tools: str = dspy.InputField(desc="numbered tools")
    hint: str = dspy.InputField(desc="what went wrong in the last round, or none")
    routes: list[str] = dspy.OutputField(desc="tool numbers, most useful first")


class PlanStep(dspy.Signature):
    """Choose the retrieval tools for a music request, the most useful first. Where it is not clear which tool finds enough, look
    with one probe first; no probe twice. A tool that finds nothing is of no use alone."""

    intent: str = dspy.InputField(desc="what the listener asks for")
    tools: str = dspy.InputField(desc="numbered tools")
    probes: str = dspy.InputField(desc="numbered probes")
    hint: str = dspy.InputField(desc="what went wrong in the last round, or none")
    seen: str = dspy.InputField(desc="what the probes saw so far, and the steps that are left")
    choice: list[str] = dspy.OutputField(desc="tool numbers, most useful first; or the number of one probe, to look first")
