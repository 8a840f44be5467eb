"""A judged trace as one HTML file that works from disk: the widget's own modules, and no request."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any, Final

from agentc.dsl.constants import visible
from agentc.view.modules import script, style

__all__ = ["page"]

_STUB: Final = """
const state = JSON.parse(document.getElementById("state").textContent);
const model = {
  get: (name) => state[name], set: (name, value) => { state[name] = value; },
  on: () => {}, off: () => {}, save_changes: () => {},
};
render({ model, el: document.getElementById("view") });
document.querySelector(".act-grid").focus();
"""
_FRAME: Final = """
html { color-scheme: light dark }
body { margin: 0; background: Canvas }
h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
#view { height: 100vh }
#view > * { height: 100%; border: 0; border-radius: 0 }
"""
_POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""Nothing may be fetched. Styles aren't named by hash: the plain table brings its own."""


def page(state: Mapping[str, Any], title: str, plain: str) -> str:
    """Return a whole HTML document.

    Parameters
    ----------
    state : Mapping[str, Any]
        The widget's traits, by name.
    title : str
    plain : str
        A fragment of HTML for readers without JavaScript.

    Notes
    -----
    Its content security policy forbids every request and every script but the one that is in it.
    """
    code = script().replace("export default { render };\n", "") + _STUB
    policy = _POLICY.format(_hash(code))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(visible(title))}</title>
<style>{style()}{_FRAME}</style>
</head>
<body>
<main><h1>{escape(visible(title))}</h1><div id="view"></div></main>
<noscript>{plain}</noscript>
<script type="application/json" id="state">{_embedded(state)}</script>
<script type="module">{code}</script>
</body>
</html>
"""


def _hash(code: str) -> str:
    return b64encode(sha256(code.encode("utf-8")).digest()).decode("ascii")


def _embedded(state: Mapping[str, Any]) -> str:
    """Write JSON in which nothing can end the element it stands in."""
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
