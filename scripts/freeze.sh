#!/bin/bash
# Print the versions installed beside PYTHON as a constraints file: freeze.sh PYTHON
# torch and what comes only with it are left to constraints-torch.txt and to pip.
set -euo pipefail
echo "# Every version the project was last tested with; pip ignores those it doesn't need."
echo "# Written by \`make constraints\` on Python $("$1" -c 'import platform; print(platform.python_version())')."
echo "# Debian 12's 3.11.2 is the oldest that must install: write them there. torch: constraints-torch.txt."
"$1" -m pip list --format=freeze --exclude-editable |
    grep -viE '^(agentc-workbench|pip|setuptools|wheel|torch|triton|nvidia-(cu|nccl|nv)[^=]*|cuda-[^=]*)=='
