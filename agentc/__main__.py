"""`python -m agentc`."""

import sys

from agentc.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
