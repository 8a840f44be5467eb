"""Events and traces, and the file formats they come in."""
