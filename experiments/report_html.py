"""A table as one HTML file that needs nothing else: the plot is inside, no script, no outside address."""

from __future__ import annotations

import base64
from html import escape

from experiments.report import Table, about_lines, cell_text

_STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem;display:block;overflow-x:auto}"
    "th,td{border-bottom:1px solid #ccc;padding:.3rem .7rem;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}td.text{text-align:left;white-space:normal;min-width:14rem}"
    "img{max-width:100%}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}img{background:#fff}}"
)


def html(table: Table, plot: bytes | None = None) -> str:
    """The file's text.

    Args:
        plot: a PNG.
    """
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{escape(table.title)}</title><style>{_STYLE}</style><h1>{escape(table.title)}</h1>",
    ]
    if plot is not None:
        parts.append(f'<img alt="{escape(table.title)}" src="data:image/png;base64,{base64.b64encode(plot).decode()}">')
    for block in table.blocks:
        heads = "".join(f"<th>{escape(head)}</th>" for head in (block.first, *(column.head for column in block.columns)))
        parts.append(f"<h2>{escape(block.title)}</h2><table><tr>{heads}</tr>")
        for line in block.lines:
            cells = "".join(
                f'<td class="{column.unit}">{escape(cell_text(line.cells.get(column.key), column.unit))}</td>'
                for column in block.columns
            )
            parts.append(f"<tr><td>{escape(line.name)}</td>{cells}</tr>")
        parts.append("</table>")
    notes = "".join(f"<li>{escape(text)}</li>" for text in (*table.notes, *about_lines(table.about)))
    parts.append(f"<ul>{notes}</ul></html>")
    return "\n".join(parts) + "\n"
