"""Views for notebooks, as HTML that any of them and nbconvert take: elements without scripts, styles or declarations."""

import base64
import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    import pandas


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


def picture(path: Path, data: bytes) -> str:
    """A picture within a page, an SVG without the declarations before its root, which must not stand there."""
    if path.suffix == ".svg":
        root = re.sub(r"^\s*(<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|<!--.*?-->|\s+)*", "", data.decode(), flags=re.S)
        return f'<div style="max-width: 36em">{root}</div>'
    if path.suffix == ".png":
        return f'<img alt="{html.escape(path.stem)}" src="data:image/png;base64,{base64.b64encode(data).decode()}">'
    return paragraph(str(path))
