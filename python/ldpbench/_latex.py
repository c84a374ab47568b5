"""Tables for papers: LaTeX with the rules of booktabs."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

_WRITTEN = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "ε": r"$\varepsilon$",
            **{mark: "\\" + mark for mark in "{}$&#_%"}}


def _cell(value: Any) -> str:
    """A value as papers print it: numbers to three digits, nothing for what is missing."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}"
    return "" if value is None else re.sub(r"[\\~^ε{}$&#_%]", lambda mark: _WRITTEN[mark.group()], str(value))


def table(frame: "pandas.DataFrame") -> str:
    """A frame as a tabular, numbers aligned right."""
    columns = "".join("r" if frame[name].dtype.kind in "iuf" else "l" for name in frame.columns)
    rows = [" & ".join(map(_cell, row)) + r" \\" for row in [list(frame.columns), *frame.astype(object).values.tolist()]]
    return "\n".join(["% \\usepackage{booktabs}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:],
                      r"\bottomrule", r"\end{tabular}", ""])
