"""Speed benchmarks: agentc's engines and a peer, side by side in one run (``python -m bench``)."""
