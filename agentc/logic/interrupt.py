"""Ctrl-C while Z3 is at work."""

from __future__ import annotations

import z3

__all__ = ["leave_interrupts_to_python"]


def leave_interrupts_to_python() -> None:
    """Let Ctrl-C end the program once Z3's query is over, at the latest when its time is up.

    Notes
    -----
    By default Z3 catches the signal itself and answers "unknown": the program would go on with the next
    query. The setting is Z3's own and holds for the whole process, so it is for programs, not libraries.
    """
    z3.set_param("ctrl_c", False)
