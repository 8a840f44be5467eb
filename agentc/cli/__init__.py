"""The command line: `python -m agentc`, or `agent-c` where it is installed."""
