"""The widget's JavaScript: small ES modules in `js/`, joined into one, with no build step."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["ORDER", "script", "style"]

_FOLDER: Final = Path(__file__).parent / "js"

ORDER: Final = (
    "dom", "words", "theme", "store", "values", "why",
    "detail", "grid", "scrubber", "toolbar", "keys", "main",
)  # fmt: skip
"""The modules, each after those that it imports."""

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.M)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.M)


@cache
def script() -> str:
    """Return the modules as one, whose default export is what anywidget asks for."""
    parts = [_scoped(name, _read(f"{name}.js")) for name in ORDER]
    return "\n".join([*parts, "const { render } = main_js;", "export default { render };", ""])


@cache
def style() -> str:
    """Return the style sheet."""
    return _read("trace.css")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _scoped(name: str, module: str) -> str:
    """Give a module a scope of its own, its imports and exports as plain constants."""
    exports = ", ".join(found for _, found in _EXPORT.findall(module))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = \2_js;\n", module))
    return f"const {name}_js = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"
