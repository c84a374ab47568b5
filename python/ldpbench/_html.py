"""Views for notebooks, as HTML that any of them and nbconvert take: elements without scripts, styles or declarations."""

import html
import re
from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    import pandas

    from .results import Picture


def root_of(svg: bytes) -> str:
    """An SVG picture without the declarations before its root, which must not stand within a page."""
    return re.sub(r"^\s*(<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|<!--.*?-->|\s+)*", "", svg.decode(), flags=re.S)


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
    """The first rows of a frame, without columns that are empty."""
    more = paragraph(f"and {len(frame) - rows} more rows") if len(frame) > rows else ""
    return frame.dropna(axis=1, how="all").head(rows).to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format) + more


def pairs(values: Mapping[str, Any]) -> str:
    """Names with their values, a row each."""
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{cell(value)}</td></tr>" for name, value in values.items())
    return f"<table><tbody>{rows}</tbody></table>"


def picture(one: "Picture") -> str:
    """A picture within a page."""
    import base64

    if one.path.suffix == ".svg":
        return f'<div style="max-width: 36em">{root_of(one.data)}</div>'
    if one.path.suffix == ".png":
        return f'<img alt="{html.escape(one.path.stem)}" src="data:image/png;base64,{base64.b64encode(one.data).decode()}">'
    return paragraph(str(one.path))
