"""The calculate tool: tau2's own answers on what it is meant for, refusals on the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentc.domains.arithmetic import calculate

numbers = st.decimals(0, 9999, places=2).map(str) | st.integers(0, 9999).map(str)
expressions = st.recursive(
    numbers,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner) | inner.map("-{}".format)
    ),
    max_leaves=8,
)


@given(expressions)
def test_agrees_with_tau2(expression: str) -> None:
    tools = pytest.importorskip("tau2.domains.retail.tools")
    try:
        expected = tools.RetailTools(None).calculate(expression)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            calculate(expression)
    else:
        assert calculate(expression) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "()",
        "1 +",
        "2 ** 3",
        "7 // 2",
        "9**9**9**9",
        "__import__('os')",
        "1e9",
        "(" * 500,
        "1,2",
        "1" + "+1" * 600,
        "0x10",
        "007",
        "1 2",
        None,
        5,
        ["1"],
    ],
)
def test_refuses(text: object) -> None:
    with pytest.raises(ValueError, match="Invalid"):
        calculate(text)  # type: ignore[arg-type]
