"""Views for notebooks, as HTML that any of them and nbconvert take: elements without scripts, styles or declarations."""

import html
import re
from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    import pandas

    from .results import Picture


def without_declaration(svg: str) -> str:
    """An SVG picture without the declarations before its root, which must not stand within a page."""
    return re.sub(r"^\s*(<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|<!--.*?-->|\s+)*", "", svg, flags=re.S)


def paragraph(text: str) -> str:
    """A text as a paragraph."""
    return f"<p>{html.escape(text)}</p>"


def cell(value: Any) -> str:
    """A value as people write it: numbers to four digits, nothing for what is missing."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    return "" if value is None else html.escape(str(value))


def table(frame: "pandas.DataFrame", rows: int) -> str:
    """The first rows of a frame, without columns that are empty or that have one value throughout, which are said above it."""
    varies = {}
    for name in frame.columns:
        values = [None if value != value else value for value in frame[name].tolist()]
        varies[name] = None if all(value in (None, "") for value in values) else len(set(map(str, values))) > 1
    same = [f"{name}: {cell(frame[name].iloc[0])}" for name, vary in varies.items() if vary is False and len(frame) > 1]
    shown = [name for name, vary in varies.items() if vary or (vary is False and len(frame) == 1)]
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in shown)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>"
                   for row in frame[shown].head(rows).values.tolist())
    more = paragraph(f"and {len(frame) - rows} more rows") if len(frame) > rows else ""
    above = paragraph(", ".join(same)) if same else ""
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def pairs(values: Mapping[str, Any]) -> str:
    """Names with their values, a row each."""
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{cell(value)}</td></tr>" for name, value in values.items())
    return f"<table><tbody>{rows}</tbody></table>"


def picture(one: "Picture") -> str:
    """A picture within a page."""
    import base64

    if one.svg is not None:
        return f'<div style="max-width: 36em">{without_declaration(one.svg)}</div>'
    if one.path.suffix == ".png":
        return f'<img alt="{html.escape(one.path.stem)}" src="data:image/png;base64,{base64.b64encode(one.data).decode()}">'
    return paragraph(str(one.path))
