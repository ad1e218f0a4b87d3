"""L2, the rules by which evidence is used: the text of the prompt with this catalog's cut-offs in it.

The same rules in code are `lattice.py` (everyday words are not names), `absent.py` (an artist whose works exclude the
mention) and `readings.py` (namesakes that nothing tells apart).
"""

from __future__ import annotations

from program.settings import GroundingSettings
from signatures.understand import WITHOUT_RULES

CUT_OFFS = ("p_hi", "p_lo", "ambiguity_margin")
"""Settings that an instruction may name in braces."""


def rules_text(instructions: str, settings: GroundingSettings) -> str:
    """The instructions with the cut-offs filled in; without the rules when they are switched off.

    Other braces stay as they are, so that an optimizer's text cannot break the prompt.
    """
    if not settings.rules:
        return WITHOUT_RULES
    for name in CUT_OFFS:
        instructions = instructions.replace(f"{{{name}}}", f"{getattr(settings, name):g}")
    return instructions
