"""The package's front door: its names, where they come from, and what importing it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import agentc

ROOT = Path(__file__).parent.parent


def test_every_public_name_is_there() -> None:
    for name in agentc.__all__:
        assert getattr(agentc, name).__doc__, f"{name} has no documentation"
    assert 25 <= len(agentc.__all__) <= 35
    assert set(agentc.__all__) <= set(dir(agentc))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((ROOT / "agentc" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        (alias.asname or alias.name): (node.module, alias.name)
        for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }  # fmt: skip
    homes = {
        name: (home, agentc._OTHERWISE.get(name, name))
        for home, names in agentc._HOMES.items()
        for name in names
    }
    assert set(imported) == set(homes) == set(agentc.__all__)
    for name, (module, called) in imported.items():
        assert module is not None and module.startswith(homes[name][0]) and called == homes[name][1]


def test_a_misspelt_name_gets_a_close_match() -> None:
    with pytest.raises(AttributeError, match=r"`agentc` has no `Befor`; did you mean `Before`\?"):
        agentc.Befor  # noqa: B018


def test_importing_it_loads_no_library() -> None:
    code = "import sys; before = set(sys.modules); import agentc; print(*sorted(set(sys.modules) - before))"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    loaded = {name.partition(".")[0] for name in out.split()}
    assert loaded - sys.stdlib_module_names == {"agentc"}


def test_importing_it_takes_less_than_a_third_of_a_second() -> None:
    """The best of a few, since a busy machine is no fault of the package."""
    code = "import time; a = time.perf_counter(); import agentc; print(time.perf_counter() - a)"
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    assert min(float(run.stdout) for run in runs) < 0.3


def test_a_whole_use_through_the_front_door() -> None:
    tools = agentc.Tools()

    @agentc.constraint
    def closed() -> object:
        """Close what you opened."""
        return agentc.After(tools.open, tools.close, where=lambda o, c: o.file == c.file)

    spec = agentc.specification("files", [closed])
    session = agentc.Session(spec)
    assert session.check("open", {"file": "a"}).verdict is agentc.Verdict.SAT
    found = agentc.audit(spec, [agentc.call("open", file="a")])
    assert found.violated == ("closed",) and found.owed[0].call.args == {"file": "a"}
    assert agentc.analyse(spec).kind == "modular"
