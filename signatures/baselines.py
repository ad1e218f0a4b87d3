"""Signatures of the systems that Melo is compared with. Tool numbers are narrowed to the tools there are."""

from typing import Annotated, Literal

import dspy
from pydantic import Field


class RouteOnce(dspy.Signature):
    """Pick the one retrieval tool that answers a music request, and list what the request names."""

    request: str = dspy.InputField(desc="the listener's words")
    tools: str = dspy.InputField(desc="numbered tools")
    tool: str = dspy.OutputField(desc="the number of the tool")
    artists: list[str] = dspy.OutputField(desc="artists that the request asks for; usually none")
    titles: list[str] = dspy.OutputField(desc="songs or albums that the request asks for; usually none")
    unwanted: list[str] = dspy.OutputField(desc="names that the request rules out; usually none")


class AnswerAtOnce(dspy.Signature):
    """Answer a music request in one go: list what it names, choose the retrieval tools, and word the playlist."""

    request: str = dspy.InputField(desc="the listener's words")
    tools: str = dspy.InputField(desc="numbered tools")
    artists: list[str] = dspy.OutputField(desc="artists that the request asks for; usually none")
    titles: list[str] = dspy.OutputField(desc="songs or albums that the request asks for; usually none")
    unwanted: list[str] = dspy.OutputField(desc="names that the request rules out; usually none")
    routes: list[str] = dspy.OutputField(desc="tool numbers, most useful first")
    title: str = dspy.OutputField(desc="a title for the playlist")
    description: str = dspy.OutputField(desc="one sentence about the playlist")


class ReactStep(dspy.Signature):
    """Answer a music request step by step. Think, then call one retrieval tool, or finish when the last result answers it."""

    request: str = dspy.InputField(desc="the listener's words")
    tools: str = dspy.InputField(desc="numbered tools")
    steps: str = dspy.InputField(desc="what was called so far and what came back, or none")
    thought: str = dspy.OutputField(desc="one short sentence: what to do next and why")
    action: str = dspy.OutputField(desc="the number of a tool, or finish")
    artists: list[str] = dspy.OutputField(desc="artists to search for; may be empty")
    titles: list[str] = dspy.OutputField(desc="songs or albums to search for; may be empty")
    unwanted: list[str] = dspy.OutputField(desc="names that must not come back; usually none")
    words: str = dspy.OutputField(desc="words to search by meaning; may be empty")


class AnswerFused(dspy.Signature):
    """Answer a music request from a list of tracks in one go: decide whether to play, to ask back or to say that nothing is
    found; pick the tracks that answer the request, best first; word the playlist; say how sure you are."""

    request: str = dspy.InputField(desc="the listener's words")
    tracks: str = dspy.InputField(desc="id | title - artist, year, genres")
    decision: Literal["play", "clarify", "not_found"] = dspy.OutputField(desc="play, clarify or not_found")
    track_ids: list[str] = dspy.OutputField(desc="ids of the picked tracks as the list writes them, best first, up to 20")
    title: str = dspy.OutputField(desc="a title for the playlist, or the question")
    description: str = dspy.OutputField(desc="one sentence about the playlist")
    confidence: Annotated[int, Field(ge=0, le=10)] = dspy.OutputField(desc="how sure you are that this is right, 0 to 10")
