"""What is known of the tools an agent may call."""

from agentc.tools.accepts import accepts
from agentc.tools.from_function import from_functions, tool_from_function
from agentc.tools.from_schema import from_schemas, tool_from_schema
from agentc.tools.signature import Projection, Tool, ToolSet

__all__ = [
    "Projection", "Tool", "ToolSet", "accepts", "from_functions", "from_schemas", "tool_from_function",
    "tool_from_schema",
]
