from program.grounding.guards.base import Guard, GuardInput, Sketch
from program.grounding.guards.registry import GUARDS, apply_guards

__all__ = ["GUARDS", "Guard", "GuardInput", "Sketch", "apply_guards"]
