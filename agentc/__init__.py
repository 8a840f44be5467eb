"""agentc: temporal policies for LLM agents, judged by Z3 at every call."""

__version__ = "0.1.0"
