"""The settings of Sphinx for the site, and the way from a link of a document to a page.

The documents are those of the repository, and lie as they lie there (support/site.sh), so that a link works in the
site and on a forge. What a forge shows and Sphinx does not, a folder or a file, is resolved in `resolved`.
"""
import os
import pathlib
import re

project = "Weir"
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/*.md", "man/*.md", "examples/**.md", "*/README.md", "Sources/*/README.md",
                    "Tests/*/README.md"]
exclude_patterns = ["docs/site"]
myst_heading_anchors = 4
highlight_language = "console"
smartquotes = False
language = "en"

html_theme = "furo"
html_title = "Weir"
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# A result's lines of text are requests, which a browser refuses for files.
html_show_search_summary = False

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def resolved(app, document, text, path, anchor):
    """Returns a link to the page of a path, to its file, or only the text."""
    root = pathlib.Path(app.srcdir)
    target = os.path.normpath(os.path.join(os.path.dirname(document), path))
    up = os.path.relpath(".", os.path.dirname(document) or ".")
    if header := re.fullmatch(r"include/weir/(\w+)\.h", target):
        target = f"man/weir_{header[1]}.3.md"
    if article := re.fullmatch(r"Sources/(\w+)/\w+\.docc/(\w+)\.md", target):
        page = f"swift/index.html#/documentation/{article[1]}/{article[2]}".lower()
        return f'<a href="{up}/{page}">{text}</a>'
    if target == "README.md":
        target = "index.md"
    if (root / target / "README.md").exists():
        target += "/README.md"
    if target.removesuffix(".md") in app.env.found_docs:
        # A name of a file becomes the title of its page.
        text = "" if text == path.removeprefix("../") else text
        return f"[{text}]({up}/{target}{anchor})"
    if source := os.environ.get("SITE_SOURCE"):
        return f"[{text}]({source}/{target}{anchor})"
    return f"[{text}]({up}/{target})" if (root / target).is_file() else text


def read(app, document, source):
    text = LINK.sub(lambda link: resolved(app, document, link[1], link[2], link[3] or ""), source[0])
    # In a table a number and its unit stay on one line.
    source[0] = re.sub(r"(?m)^ *\|.*", lambda row: re.sub(r"(?<=\d) (?=s\b)", "\N{NO-BREAK SPACE}", row[0]), text)


def setup(app):
    app.connect("source-read", read)
