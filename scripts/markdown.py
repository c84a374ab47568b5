"""The Markdown that the pages of this repository use, as HTML: headings, paragraphs, lists, tables, quotes, code, links, pictures."""

import html
import re

_SPANS = re.compile(r"(`+)(.+?)\1|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|<(https?://[^>]+)>|"
                    r"\*\*(.+?)\*\*|(?<![\w*])\*(?!\s)([^*]+?)\*(?!\w)|\\([\\`*_{}\[\]()#+\-.!|<>~])|<(a id=\"[^\"]*\"|/a|br)>", re.S)


def anchor(text):
    """A heading's identifier, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"`|\*", "", text).lower()).strip().replace(" ", "-")


class Page:
    """One page: html, title, and its sections as (anchor, heading, text). link: what the target of a link becomes; None: no link."""

    def __init__(self, text, link):
        self.link, self.sections, self.title = link, [("", "", [])], ""
        self._used = {}
        self.html = "\n".join(self._blocks(re.sub(r"<!--.*?-->", "", text, flags=re.S).split("\n")))

    def _inline(self, text):
        def span(found):
            code, picture, label, url, strong, slanted, escaped, tag = (found[i] for i in (2, 4, 5, 7, 8, 9, 10, 11))
            if code is not None:
                return f"<code>{html.escape(code.strip())}</code>"
            if picture is not None:
                return f'<img src="{html.escape(self.link(picture) or picture)}" alt="{html.escape(found[3])}" loading="lazy">'
            if label is not None:
                to = self.link(found[6])
                return f'<a href="{html.escape(to)}">{self._inline(label)}</a>' if to else self._inline(label)
            if url is not None:
                return f'<a href="{html.escape(url)}">{html.escape(url)}</a>'
            if tag is not None:
                return f"<{tag}>"
            return html.escape(escaped) if escaped is not None else \
                f"<strong>{self._inline(strong)}</strong>" if strong is not None else f"<em>{self._inline(slanted)}</em>"
        made, at = [], 0
        for found in _SPANS.finditer(text):
            made += [html.escape(text[at:found.start()], quote=False), span(found)]
            at = found.end()
        return "".join(made) + html.escape(text[at:], quote=False).replace("\\\n", "<br>\n")

    def _say(self, text):
        self.sections[-1][2].append(re.sub(r"[`*|\\]|\]\([^)]*\)|[\[!]", " ", text))

    def _heading(self, line):
        level, text = len(line) - len(line.lstrip("#")), line.lstrip("#").strip()
        name = anchor(re.sub(r"<[^>]*>", "", text))
        self._used[name] = self._used.get(name, -1) + 1
        name += f"-{self._used[name]}" if self._used[name] else ""
        plain = re.sub(r"<[^>]*>|[`*]", "", text)
        self.title = self.title or plain
        self.sections.append((name, plain, []))
        return f'<h{level} id="{name}">{self._inline(text)}</h{level}>'

    def _table(self, rows):
        def cells(row):
            return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
        right = [cell.endswith(":") for cell in cells(rows[1])]

        def line(row, tag):
            return "<tr>" + "".join(f'<{tag}{" class=n" if i < len(right) and right[i] else ""}>{self._inline(cell)}</{tag}>'
                                    for i, cell in enumerate(cells(row))) + "</tr>"
        for row in rows:
            self._say(row)
        body = "\n".join(line(row, "td") for row in rows[2:])
        return f"<div class=scroll><table><thead>{line(rows[0], 'th')}</thead><tbody>{body}</tbody></table></div>"

    def _list(self, lines, mark):
        items = []
        for line in lines:
            if re.match(mark, line):
                items.append([re.sub(mark, "", line)])
            else:
                items[-1].append(line.strip())
        tag = "ol" if lines[0][0].isdigit() else "ul"
        for item in items:
            self._say(" ".join(item))
        return f"<{tag}>" + "".join(f"<li>{self._inline(chr(10).join(item))}</li>" for item in items) + f"</{tag}>"

    def _blocks(self, lines):
        made, i = [], 0
        mark = r"(?:[-*]|\d+\.) +"

        def run(condition):
            nonlocal i
            start = i
            while i < len(lines) and condition(lines[i]):
                i += 1
            return lines[start:i]
        while i < len(lines):
            line = lines[i]
            if not line.strip():
                i += 1
            elif line.startswith("```"):
                i += 1
                code = run(lambda x: not x.startswith("```"))
                i += 1
                self._say(" ".join(code))
                made.append(f"<pre tabindex=\"0\">{html.escape(chr(10).join(code))}</pre>")
            elif line.startswith("    "):
                code = "\n".join(x[4:] for x in run(lambda x: x.startswith("    ") or not x.strip())).rstrip()
                self._say(code)
                made.append(f"<pre tabindex=\"0\">{html.escape(code)}</pre>")
            elif re.match(r"#{1,6} ", line):
                i += 1
                made.append(self._heading(line))
            elif line.startswith(">"):
                made.append("<blockquote>" + "\n".join(self._blocks([x[1:].removeprefix(" ") for x in run(lambda x: x.startswith(">"))])) + "</blockquote>")
            elif line.startswith("|") and i + 1 < len(lines) and re.match(r"\|[-:| ]+\|?\s*$", lines[i + 1]):
                made.append(self._table(run(lambda x: x.startswith("|"))))
            elif re.match(mark, line):
                made.append(self._list(run(lambda x: bool(x.strip()) and (re.match(mark, x) or x.startswith(" "))), mark))
            else:
                text = "\n".join(run(lambda x: bool(x.strip()) and not re.match(r"#{1,6} |```|\||>", x)))
                self._say(text)
                made.append(f"<p>{self._inline(text)}</p>")
        return made
