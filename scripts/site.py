"""Makes a folder of static pages: README, docs, studies, the reference of functions, notebooks' sources, and reports of
the shipped configs, with a search that works from file://. Nothing is fetched, now or later.

usage: site.py FOLDER [CONFIG...]      (default: configs/ndss2020-fig4.json to fig9 and configs/oracles.json)

LDPBENCH names the program (default build/release/ldpbench). An existing FOLDER is replaced if it is such a site.
"""

import glob
import html
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from markdown import Page

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("LDPBENCH", os.path.join(ROOT, "build/release/ldpbench"))
PAGES = ["README.md", "CONTRIBUTING.md", "plots/README.md", "papers/README.md", "docs/templates/README.md"]
GROUPS = [("Start", ["README.md", "docs/tour.md", "docs/data.md", "docs/choose.md", "docs/guide.md", "docs/python.md"]),
          ("Questions", ["docs/intervals.md", "docs/ordered.md", "docs/strings.md", "docs/marginals.md", "docs/privacy.md", "docs/deployment.md", "docs/compare.md"]),
          ("Reference", ["docs/reference.md", "docs/methods.md", "docs/functions.md", "docs/developing.md"])]

CSS = """:root{color-scheme:light dark;--ink:#1b1b1f;--faint:#5c5c66;--paper:#fff;--soft:#f5f5f8;--line:#dcdce3;--link:#0b57d0}
@media (prefers-color-scheme:dark){:root{--ink:#e4e4ea;--faint:#a3a3ae;--paper:#17171b;--soft:#222228;--line:#383842;--link:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:84rem;padding:1rem;display:grid;grid-template:"top main" auto "pages main" 1fr/15rem minmax(0,1fr);gap:0 2rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
header{grid-area:top;font-size:14px}header [href="#pages"]{display:none}main{grid-area:main}
nav{grid-area:pages;font-size:14px;position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}
nav h2{font-size:13px;color:var(--faint);margin:1rem 0 .2rem}nav ul{list-style:none;margin:0;padding:0}
nav a{text-decoration:none;display:block;padding:.1rem 0}nav a[aria-current]{font-weight:700}
input{font:inherit;width:100%;padding:.35rem .5rem;color:var(--ink);background:var(--paper);border:1px solid var(--line);border-radius:6px}
main{max-width:60rem}a{color:var(--link)}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:var(--soft);padding:.75rem;overflow-x:auto;border-radius:4px}blockquote{margin:0;padding-left:1rem;border-left:3px solid var(--line)}
.scroll{overflow:auto;max-height:36rem;border:1px solid var(--line);border-radius:4px;margin:1rem 0}
table{border-collapse:collapse;font-size:14px;min-width:100%}th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:normal}
thead th{position:sticky;top:0;background:var(--soft)}.n{text-align:right;white-space:nowrap}
img{max-width:100%;height:auto;background:#fff;border-radius:4px;padding:.5rem}
@media screen and (prefers-color-scheme:dark){img{filter:invert(.91) hue-rotate(180deg)}}
#found{padding:0;list-style:none}#found p{margin:0 0 .8rem;color:var(--faint);font-size:14px}
@media (max-width:50rem){body{display:block}nav{position:static;max-height:none}header [href="#pages"]{display:inline;float:right}}
@media print{nav,header{display:none}body{display:block}.scroll{max-height:none;overflow:visible}}
"""

SEARCH = """'use strict'
const box = document.getElementById('search'), found = document.getElementById('found'), page = document.getElementById('page')
const root = document.documentElement.dataset.root
// Letters and digits alone: "norm_sub", "Norm-Sub" and "normsub" are one word; so are "interval" and "intervals".
const plain = text => text.toLowerCase().replace(/[^\\p{L}\\p{N}\\s]/gu, '')
const stem = word => word.length > 3 ? word.replace(/(ies|es|s|y)$/, '') : word
const rows = INDEX.map(row => ({row, title: plain(row[1] + ' ' + row[2]), text: plain(row[3])}))
// A word counts for more if few sections have it, in a title, and if a text has it often; no section must have all of
// them. Documents come before studies and reports.
function search(words) {
    const often = (text, word) => 2 - 1 / Math.min(text.split(word).length - 1, 5)
    const has = (title, text) => word => title.includes(word) ? 5 : text.includes(word) ? often(text, word) : 0
    const hits = rows.map(({row, title, text}) => ({row, has: words.map(has(title, text))}))
    const weight = words.map((_, i) => Math.log(1 + rows.length / (1 + hits.filter(hit => hit.has[i]).length)))
    const place = hit => /^(docs|index)/.test(hit.row[0]) ? 1.3 : 1
    const sum = hit => place(hit) * hit.has.reduce((total, has, i) => total + has * weight[i], 0)
    return hits.filter(hit => hit.has.some(has => has)).map(hit => [sum(hit), hit.row]).sort((a, b) => b[0] - a[0])
}
function show() {
    const words = plain(box.value).split(/\\s+/).filter(word => word).map(stem)
    page.hidden = words.length > 0
    found.hidden = words.length === 0
    found.replaceChildren()
    const results = words.length ? search(words) : []
    for (const [, row] of results.slice(0, 40)) {
        const item = document.createElement('li'), link = document.createElement('a'), text = document.createElement('p')
        link.href = root + row[0]
        link.textContent = row[1] + (row[2] && row[2] !== row[1] ? ': ' + row[2] : '')
        const at = Math.max(0, row[3].toLowerCase().indexOf(words[0]) - 60)
        text.textContent = row[3].slice(at, at + 200)
        item.append(link, text)
        found.append(item)
    }
    if (words.length && !results.length) found.append(Object.assign(document.createElement('li'), {textContent: 'Nothing was found.'}))
}
box.addEventListener('input', show)
found.addEventListener('click', () => { box.value = ''; show() })
document.documentElement.dataset.search = 'ready'
"""


def place(source):
    """Where a file of the repository is in the site."""
    return "index.html" if source == "README.md" else re.sub(r"README\.md$", "index.html", source).replace(".md", ".html")


class Site:
    def __init__(self, folder):
        self.folder, self.index, self.copied, self.titles = folder, [], set(), {}

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def link(self, source, target):
        """The target of a link from a page; files that are no pages are copied."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, hash_, fragment = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if path in self.sources:
            path = place(path)
        elif os.path.isfile(os.path.join(ROOT, path)):
            self.copied.add(path)
        else:
            return None
        return os.path.relpath(path, os.path.dirname(place(source)) or ".") + hash_ + fragment

    def navigation(self, current, top):
        def item(to, title):
            here = ' aria-current="page"' if to == current else ""
            return f'<li><a href="{top}{to}"{here}>{html.escape(title)}</a></li>'
        listed = {source for _, sources in GROUPS for source in sources}
        groups = [(name, [(place(x), self.titles[x]) for x in sources if x in self.titles]) for name, sources in GROUPS]
        rest = [(place(x), title) for x, title in self.titles.items() if x not in listed]
        groups += [("More", [row for row in rest if not row[0].startswith("studies/")]), ("Studies", [row for row in rest if row[0].startswith("studies/")])]
        groups.append(("Reports", self.reports))
        return "".join(f"<h2>{name}</h2><ul>{''.join(item(*row) for row in rows)}</ul>" for name, rows in groups if rows)

    def put(self, source, page):
        to = place(source)
        top = "../" * to.count("/")
        self.write(to, f"""<!DOCTYPE html>
<html lang="en" data-root="{top}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)}</title><link rel="stylesheet" href="{top}site.css"></head><body>
<header><a href="{top}index.html"><strong>ldpbench</strong></a> <a href="#pages">All pages</a>
<input id="search" type="search" placeholder="Search" aria-label="Search all pages"></header>
<main><ul id="found" hidden></ul><div id="page">
{page.html}
</div></main><nav id="pages" aria-label="All pages">{self.navigation(to, top)}</nav><script src="{top}index.js"></script><script src="{top}search.js"></script></body></html>
""")
        for name, heading, text in page.sections:
            words = " ".join(" ".join(text).split())
            if words or heading:
                self.index.append([to + (f"#{name}" if name else ""), page.title, heading, words[:4000]])


def functions():
    """The reference of the Python package, from its own descriptions."""
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import ldpbench

    made = ["# Functions of the Python package", "", "How is each function called? These are their signatures and descriptions; [python.md](python.md) shows them at work.", ""]
    for name in ldpbench.__all__:
        one = getattr(ldpbench, name)
        members = [("", one)] + ([(f"{name}.{x}", y) for x, y in sorted(vars(one).items()) if not x.startswith("_") and
                                  (inspect.isfunction(y) or isinstance(y, property)) and y.__doc__] if inspect.isclass(one) else [])
        for label, member in members:
            try:
                given = "" if isinstance(member, property) else re.sub(r"['\"]", "", str(inspect.signature(member)))
            except ValueError:
                given = ""
            given = re.sub(r"(ldpbench|pandas\.core\.\w+|typing)\.", "", given)
            made += [f"{'###' if label else '##'} {label or name}", "", "```", f"{label or name}{given}", "```", "",
                     "```", inspect.getdoc(member) or "", "```", ""]
    return "\n".join(made)


def report(site, config, work):
    """Runs a config and puts the page of its results into the site."""
    name = os.path.splitext(os.path.basename(config))[0]
    results = os.path.join(work, name)
    subprocess.run([PROGRAM, "run", config, "-o", results, "--quiet"], check=True)
    to = os.path.join(site.folder, "reports", f"{name}.html")
    os.makedirs(os.path.dirname(to), exist_ok=True)
    subprocess.run([PROGRAM, "report", results, "-o", to], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([PROGRAM, "report", results, "--format", "text"], check=True, capture_output=True, text=True).stdout
    site.index.append([f"reports/{name}.html", "Report", name, " ".join(said.split())])
    return f"reports/{name}.html", name


def prepare(folder):
    if os.path.isdir(folder) and os.listdir(folder):
        if not os.path.exists(os.path.join(folder, "site.css")):
            sys.exit(f"site: {folder}: expected a new folder, or a site to replace")
        shutil.rmtree(folder)
    os.makedirs(folder, exist_ok=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: site.py FOLDER [CONFIG...]")
    os.chdir(ROOT)
    prepare(sys.argv[1])
    site = Site(sys.argv[1])
    texts = {}
    for source in PAGES + sorted(glob.glob("docs/*.md") + glob.glob("studies/**/*.md", recursive=True)):
        with open(source, encoding="utf-8") as file:
            texts[source] = file.read()
    texts["docs/functions.md"] = functions()
    site.sources = texts
    with tempfile.TemporaryDirectory() as work:
        site.reports = [report(site, config, work) for config in
                        sys.argv[2:] or sorted(glob.glob("configs/ndss2020-fig[4-9].json")) + ["configs/oracles.json"]]
    pages = {source: Page(text, lambda target, source=source: site.link(source, target)) for source, text in texts.items()}
    site.titles = {source: page.title for source, page in pages.items()}
    for source, page in pages.items():
        site.put(source, page)
    for path in site.copied:
        os.makedirs(os.path.dirname(os.path.join(site.folder, path)) or ".", exist_ok=True)
        shutil.copyfile(path, os.path.join(site.folder, path))
    site.write("site.css", CSS)
    site.write("search.js", SEARCH)
    site.write("index.js", "const INDEX = " + json.dumps(site.index, ensure_ascii=False).replace("</", "<\\/") + "\n")
    print(f"{os.path.join(sys.argv[1], 'index.html')}: {len(pages)} pages, {len(site.reports)} reports")


main()
