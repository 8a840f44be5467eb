"""What is known of the tools an agent may call."""

from agentc.tools.signature import Projection, Tool, ToolSet

__all__ = ["Projection", "Tool", "ToolSet"]
