"""PLAN's signature; tool numbers are narrowed to the tools that the intent can use."""

import dspy


class PlanRoutes(dspy.Signature):
    """Choose the retrieval tools for a music request, the most useful first. Use exact search for names and conditions,
    search by meaning for atmosphere and for rare requests, and both when either alone may find too little."""

    intent: str = dspy.InputField(desc="what the listener asks for")
    tools: str = dspy.InputField(desc="numbered tools")
    hint: str = dspy.InputField(desc="what went wrong in the last round, or none")
    routes: list[str] = dspy.OutputField(desc="tool numbers, most useful first")
