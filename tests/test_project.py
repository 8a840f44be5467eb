"""The project's own rules: its lists agree, its floors hold, its files say nothing they shouldn't."""

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "agentc"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the ground up. A room may import from lower floors and from its neighbours, never from above.
FLOORS = (
    {"errors"},
    {"trace", "tools"},
    {"dsl"},
    {"logic"},
    {"monitor"},
    {"decode", "view", "domains"},
    {"agents", "guard", "specgen"},
    {"bench"},
)
# The package's own front door and the command line stand on the roof: nothing imports them.
ROOF = len(FLOORS)
FLOOR_OF = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
FLOOR_OF |= {"__init__": ROOF, "__main__": ROOF, "cli": ROOF}

# Libraries that only one room may know.
LIVES_IN = {
    "lark": "dsl",
    "z3": "logic",
    "tau2": "domains",
    "matplotlib": "bench",
    "torch": "decode",
    "transformers": "decode",
    "llguidance": "decode",
    "litellm": "decode",
    "IPython": "view",
    "ipywidgets": "view",
    "anywidget": "view",
}


# The lists of packages


def conda_packages() -> set[str]:
    """The packages of environment.yml under their PyPI names, with versions."""
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    own = [item for item in dependencies if isinstance(item, str)]
    from_pip = next(item["pip"] for item in dependencies if isinstance(item, dict))
    names = {re.sub(r"^pytorch(?=[=<>]|$)", "torch", item) for item in [*own, *from_pip]}
    return names - {"pip", "-e ."}


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_environment_yml_and_pyproject_list_the_same_packages() -> None:
    extras = project()["optional-dependencies"]
    wanted = {*project()["dependencies"], *(package for extra in extras.values() for package in extra)}
    wanted.add(f"python{project()['requires-python']}")
    assert conda_packages() == wanted


def test_environment_yml_installs_agentc_itself() -> None:
    assert "      - -e .\n" in (ROOT / "environment.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "package",
    [
        "jupyterlab",
        "ipywidgets",
        "z3-solver",
        "transformers",
        "torch",
        "accelerate",
        "matplotlib",
        "pandas",
        "pytest",
    ],
)
def test_environment_yml_has_the_fixed_packages(package: str) -> None:
    assert package in {re.split(r"[=<>]", item)[0] for item in conda_packages()}


def test_constraints_pin_every_package_the_set_up_installs() -> None:
    lines = [*(ROOT / "constraints.txt").open(), *(ROOT / "constraints-torch.txt").open()]
    pinned = {normal(line.split("==")[0]) for line in lines if "==" in line and not line.startswith("#")}
    asked = {normal(re.split(r"[=<>]", item)[0]) for item in conda_packages()} - {"python"}
    assert asked <= pinned, f"not pinned: {sorted(asked - pinned)}; run `make constraints`"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# What importing costs


def loaded_by(statement: str) -> set[str]:
    """The top-level modules in memory after `statement` ran in a fresh interpreter."""
    code = f"{statement}; import json, sys; print(json.dumps([m.partition('.')[0] for m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_agentc_is_light() -> None:
    heavy = {"torch", "transformers", "IPython", "matplotlib", "tau2", "litellm", "ipywidgets", "anywidget"}
    assert loaded_by("import agentc") & heavy == set()


def test_the_heavy_modules_would_be_noticed() -> None:
    assert "matplotlib" in loaded_by("import matplotlib")


# The floors


def rooms_imported(tree: ast.AST, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """The (line, room) of each import of agentc in the dotted `module`, lazy and type-only ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = [f"{base_of(node, module, is_package)}.{alias.name}" for alias in node.names]
        else:
            continue
        for parts in (target.split(".") for target in targets):
            if parts[0] == "agentc":
                # `from agentc import x` takes a room, or else something the front door offers.
                room = parts[1] if len(parts) > 1 and parts[1] in FLOOR_OF else "__init__"
                yield node.lineno, parts[1] if len(parts) > 2 else room


def base_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, node.module] if node.module else parts)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_every_room_has_a_floor() -> None:
    unknown = {room_of(path) for path in MODULES} - FLOOR_OF.keys()
    assert not unknown, f"no floor for agentc/{sorted(unknown)}: add them to FLOORS and docs/architecture.md"


def test_nothing_imports_upward() -> None:
    faults = []
    for path in MODULES:
        home = room_of(path)
        for line, room in rooms_imported(parse(path), dotted(path), path.name == "__init__.py"):
            if FLOOR_OF.get(room, ROOF) > FLOOR_OF.get(home, ROOF) or (home != room and room == "__init__"):
                faults.append(
                    f"{path.relative_to(ROOT)}:{line}: `{home}` imports `{room}`, which is above it"
                )
    assert not faults, "\n".join(faults)


def test_neighbours_do_not_import_each_other_in_a_circle() -> None:
    arrows = {
        (room_of(path), room)
        for path in MODULES
        for _, room in rooms_imported(parse(path), dotted(path), path.name == "__init__.py")
    }
    circles = {tuple(sorted(arrow)) for arrow in arrows if arrow[0] != arrow[1] and arrow[::-1] in arrows}
    assert not circles, f"rooms that import each other: {sorted(circles)}"


@pytest.mark.parametrize(
    ("source", "module", "rooms"),
    [
        ("import agentc.logic.z3", "agentc.dsl.nodes", ["logic"]),
        ("from agentc.logic import solve", "agentc.dsl.nodes", ["logic"]),
        ("from agentc import logic", "agentc.dsl.nodes", ["logic"]),
        ("from agentc import Before", "agentc.dsl.nodes", ["__init__"]),
        ("import agentc", "agentc.dsl.nodes", ["__init__"]),
        ("from ..logic.z3 import solve", "agentc.dsl.nodes", ["logic"]),
        ("from .. import logic", "agentc.dsl.nodes", ["logic"]),
        ("from .terms import x", "agentc.dsl.nodes", ["dsl"]),
        ("def f():\n    from agentc.logic import solve", "agentc.dsl.nodes", ["logic"]),
        ("import agentcx, z3, os.path", "agentc.dsl.nodes", []),
    ],
)
def test_imports_are_found_however_they_are_written(source: str, module: str, rooms: list[str]) -> None:
    assert [room for _, room in rooms_imported(ast.parse(source), module)] == rooms


def test_a_packages_own_relative_imports_are_resolved() -> None:
    tree = ast.parse("from .nodes import x\nfrom ..logic import y")
    assert [room for _, room in rooms_imported(tree, "agentc.dsl", is_package=True)] == ["dsl", "logic"]


def test_each_library_lives_in_its_room() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: `{name}` belongs to agentc/{LIVES_IN[name]}/"
        for path in MODULES
        for line, name in libraries(parse(path))
        if name in LIVES_IN and room_of(path) != LIVES_IN[name]
    ]
    assert not faults, "\n".join(faults)


def libraries(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module.split(".")[0]


# The code


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_public_functions_say_what_they_return() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path in MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and node.returns is None
    ]
    assert not faults, "functions without a return annotation:\n" + "\n".join(faults)


def test_no_file_is_longer_than_600_lines() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES
    }
    assert not (long := {name: length for name, length in lengths.items() if length > 600}), (
        f"split these: {long}"
    )


def committed_files() -> list[Path]:
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip(f"not a git checkout: {listed.stderr.strip()}")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_committed_file_names_a_path_of_one_machine() -> None:
    faults = [
        str(path.relative_to(ROOT))
        for path in committed_files()
        if re.search(rb"(?<![\w.~-])/" + rb"work/|/root/" + rb"\.", path.read_bytes())
    ]
    assert not faults, f"these name a path that exists on one machine only: {faults}"


# What a newcomer reads and what is installed


def test_the_policy_in_the_readme_can_be_used(tmp_path: Path) -> None:
    from agentc.domains import load_specification

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```agentc orders.agentc\n(specification.*?)```", readme, re.S)
    (file := tmp_path / "readme.agentc").write_text(text, encoding="utf-8")
    assert [constraint.name for constraint in load_specification(file).constraints] == [
        "own_orders",
        "once_per_order",
    ]


def test_a_wheel_carries_specifications_and_data(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("agentc_workbench-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    data = [path for path in PACKAGE.rglob("*") if path.suffix in {".css", ".html", ".js", ".json", ".lark"}]
    wanted = {str(path.relative_to(ROOT)) for path in [*MODULES, *data]}
    wanted |= {f"agentc/_specs/{path.name}" for path in (ROOT / "specs").glob("*.agentc")}
    assert wanted - inside == set()


def test_the_command_has_a_name_of_its_own() -> None:
    assert project()["scripts"] == {"agent-c": "agentc.__main__:main"}
