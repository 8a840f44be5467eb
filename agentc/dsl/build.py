"""The builder: specifications written in Python, checked where they are written.

>>> t = Tools()
>>> closed = After(t.open, t.close, where=lambda o, c: o.file == c.file)
>>> print(closed & ~Exists(t.rm, lambda r: r.path == "/"))
After(open as o, True, close as c, o.file == c.file) & ~Exists(rm as r, r.path == "/")
"""

from agentc.dsl.build_events import output
from agentc.dsl.build_formulas import Implies
from agentc.dsl.build_functions import (
    absent,
    all_of,
    any_of,
    count,
    distinct,
    is_bool,
    is_integer,
    is_list,
    is_null,
    is_number,
    is_object,
    is_string,
    length,
)
from agentc.dsl.build_patterns import (
    Tools,
    any_tool,
    assistant_message,
    attempted,
    read_tools,
    user_message,
    write_tools,
)
from agentc.dsl.build_predicates import After, Before, Exists, Forall, Seq
from agentc.dsl.build_spec import constraint, specification
from agentc.dsl.build_terms import value

__all__ = [
    "After", "Before", "Exists", "Forall", "Implies", "Seq", "Tools", "constraint", "specification",
    "any_tool", "assistant_message", "attempted", "read_tools", "user_message", "write_tools",
    "absent", "all_of", "any_of", "count", "distinct", "is_bool", "is_integer", "is_list", "is_null",
    "is_number", "is_object", "is_string", "length", "output", "value",
]  # fmt: skip
