"""Events and traces, and the file formats they come in."""

from agentc.trace.event import (
    ASSISTANT_MESSAGE,
    MESSAGES,
    USER_MESSAGE,
    Event,
    Failed,
    Reading,
    Trace,
    call,
    message,
    reading,
)
from agentc.trace.formats import FORMATS, Format, load_traces
from agentc.trace.json_text import dump_json, parse_json
from agentc.trace.jsonl import write_traces
from agentc.trace.values import JSON, MISSING, Missing

__all__ = [
    # what a trace is made of
    "ASSISTANT_MESSAGE", "JSON", "MESSAGES", "MISSING", "USER_MESSAGE",
    "Event", "Failed", "Missing", "Reading", "Trace", "call", "message", "reading",
    # files
    "FORMATS", "Format", "dump_json", "load_traces", "parse_json", "write_traces",
]  # fmt: skip
