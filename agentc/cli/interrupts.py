"""Ctrl-C that always ends a command."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["clean_interrupts"]

_AGAIN = 0.005
"""Seconds after which an interrupt that came at a bad moment is tried again."""


@contextmanager
def clean_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt, and only where it is not swallowed.

    Notes
    -----
    Python ignores what is raised in a finalizer, and each of Z3's many objects has one; so a
    KeyboardInterrupt that would be raised in one is put off.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    alarm = signal.signal(signal.SIGALRM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)


def _interrupt(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
            return
        frame = frame.f_back
    raise KeyboardInterrupt
