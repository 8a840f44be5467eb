#!/bin/bash
# Print the versions installed beside PYTHON as a constraints file: freeze.sh PYTHON
# torch and what comes only with it are left to constraints-torch.txt and to pip.
set -euo pipefail
echo "# Every version the project was last tested with; pip ignores those it doesn't need."
echo "# Written by \`make constraints\`. torch is pinned in constraints-torch.txt."
"$1" -m pip list --format=freeze --exclude-editable |
    grep -viE '^(agentc-workbench|pip|setuptools|wheel|torch|triton|nvidia-(cu|nccl|nv)[^=]*|cuda-[^=]*)=='
