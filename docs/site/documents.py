"""Writes the documents of the site that are no document of the repository.

usage: documents.py TO SWIFT PAGE...

TO/man gets a document for each manual page, and a list for section 1 and for sections 3 and 7. TO/swift.md
gets the articles and types of SWIFT, the pages that docs.sh wrote, so that the search knows them.

mandoc makes the HTML. Each section gets a heading of the site, so that the list of contents and the search
know it. A page that only names another one (.so) has no document; its name leads to the other.
"""
import html
import json
import pathlib
import re
import subprocess
import sys

HEADING = re.compile(r'<h([12]) class="S[hs]"[^>]*>(?:<a[^>]*>)?(.*?)(?:</a>)?</h\1>', re.DOTALL)
FRAME = re.compile(r'<table class="head">.*?<div class="manual-text">|</?section[^>]*>|'
                   r'</div>\s*<table class="foot">.*', re.DOTALL)
NAME = re.compile(r"weir[_-][\w-]+")


def raw(text):
    return f"~~~~~~~~{{raw}} html\n{text.strip()}\n~~~~~~~~\n" if text.strip() else ""


def linked(text, page, documents):
    """Makes links of the names of other pages."""
    def link(match):
        target = documents.get(match[0], page)
        return match[0] if target == page else f'<a href="{target}.html">{match[0]}</a>'
    return "".join(part if part.startswith("<") else NAME.sub(link, part)
                   for part in re.split(r"(<[^>]*>)", text))


def document(file, documents):
    """Returns a page as Markdown, and its line in the list of all pages."""
    made = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", file], check=True, timeout=60,
                          capture_output=True, text=True).stdout
    made = FRAME.sub("", made).replace("\n<br/>\n", "\n")
    title = "{}({})".format(*file.name.rsplit(".", 1))
    _, *parts = HEADING.split(made)
    text = [f"# {title}\n"]
    for level, heading, body in zip(parts[::3], parts[1::3], parts[2::3]):
        heading = " ".join(heading.split())
        text.append(f"{'#' * (int(level) + 1)} {heading}\n\n{raw(linked(body, file.name, documents))}")
    purpose = re.sub(r"<[^>]*>|\s+", " ", parts[2]).split(" - ", 1)[1].strip()
    return "\n".join(text), f"| [{title}]({file.name}.md) | {purpose} |"


def listing(title, text, lines, files):
    names = "\n".join(file.name for file in files)
    rows = "\n".join(lines)
    return f"# {title}\n\n{text}\n\n| page | about |\n|---|---|\n{rows}\n\n" \
        f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def shown(part, page):
    """Returns a part of an abstract as Markdown."""
    if part["type"] == "reference":
        return f"`{name_of(page['references'][part['identifier']]['title'])}`"
    return f"`{part['code']}`" if "code" in part else html.escape(part["text"])


def name_of(title):
    """Returns a symbol without the labels of its parameters."""
    return title.partition("(")[0]


def swift(to, file):
    """Adds the list of the Swift modules' articles and top-level symbols."""
    rows = {}
    for line in file.read_text().splitlines():
        name, page = re.fullmatch(r'pages\["(.*?)"\] = (.*)', line).groups()
        page = json.loads(page)
        _, _, module, *path = name.split("/")
        if len(path) != 1:
            continue
        about = "".join(shown(part, page) for part in page.get("abstract", []))
        title, kind = page["metadata"]["title"], page["metadata"]["roleHeading"]
        title = title if kind == "Article" else f"`{name_of(title)}`"
        rows.setdefault(module, []).append(f'| <a href="swift/index.html#{name}">{title}</a> | {kind} | {about} |')
    with open(to, "a") as page:
        for module, title in (("weir", "Weir"), ("filejobs", "FileJobs")):
            lines = "\n".join(rows[module])
            page.write(f"\n## {title}\n\n| name | kind | about |\n|---|---|---|\n{lines}\n")


def manual(to, names):
    """Writes the manual pages and their two lists."""
    files, documents = [], {}
    for file in sorted(names, key=lambda file: file.name):
        other = re.match(r"\.so man\d/(\S+)", file.read_text())
        documents[file.stem] = other[1] if other else file.name
        if not other:
            files.append(file)
    for name, title, text, sections in (
            ("index", "Manual pages", "As `man weir` and `man weir-hash` show them.", "1"),
            ("c", "The C library, header by header", "As `man 7 weir` and `man 3 weir_gate` show them. The search"
             " finds each function.", "37")):
        chosen = [file for file in files if file.name[-1] in sections]
        lines = []
        for file in chosen:
            page, line = document(file, documents)
            (to / f"{file.name}.md").write_text(page)
            lines.append(line)
        (to / f"{name}.md").write_text(listing(title, text, lines, chosen))


def main(to, swift_pages, *names):
    to = pathlib.Path(to)
    swift(to / "swift.md", pathlib.Path(swift_pages))
    manual(to / "man", [pathlib.Path(name) for name in names])


main(*sys.argv[1:])
