#!/bin/sh
# site.sh: writes the site in .build/site: static pages that a browser opens from a file, and that any
# server serves below any address.
#
# Sphinx makes the pages from the documents of this repository, with the theme Furo: search without a server, light
# and dark, nothing from other hosts. docs/site/conf.py tells how a link of a document finds its page.
# The manual, the pages of Swift and the course are those of `make man`, `make docs` and `make course`.
#
# DESIGN: the pages of Swift are the ones that docs.sh writes, not DocC's own for static hosting. Those need a server
# and one fixed address, take 12 MB instead of 4.4, and break rules of axe-core.
#
# DESIGN: Sphinx, because its search and its pages work from a file. The search of MkDocs needs a server or a
# script of another host, and MkDocs has had no release since 2024.
#
# SITE_SOURCE is the address of the sources on a forge, such as https://example.com/weir/blob/main: a link to a
# file that is no page leads there. Without it the site has the file.
set -eu

. support/shell.sh

tools=.build/site-tools
pages=.build/site-pages
to=.build/site.partial
demo=${DEMO:-.build/demos/release/weir-demo}

# The versions are all pinned. pip is run again when they change.
if ! cmp -s docs/site/requirements.txt "$tools/requirements.txt"; then
    say "installing Sphinx in $tools" >&2
    python3 -m venv --clear "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --requirement docs/site/requirements.txt
    cp docs/site/requirements.txt "$tools"
fi

# The documents, where they are in the repository.
rm -rf "$pages" "$to"
mkdir -p "$pages" "$to"
sh support/sources.sh '*' | tar -cf - -T - | tar -xf - -C "$pages"

# The front page is README.md.
mv "$pages/README.md" "$pages/index.md"
cat docs/site/contents.md >>"$pages/index.md"
for page in swift course; do
    sed 's|\.\./\.\./||g' "docs/site/$page.md" >"$pages/$page.md"
done

"$tools/bin/python" docs/site/documents.py "$pages" .build/docs/pages.js .build/man/man*/* .build/tool/man1/*
"$tools/bin/python" -m sphinx -q -W --keep-going -b html -j auto -c docs/site -d "$pages/.doctrees" \
    -D "release=$(version MAJOR).$(version MINOR).$(version PATCH)" "$pages" "$to"

# Reports of the demos, each a file.
mkdir "$to/reports"
for name in downloads images gallery loops queues groups; do
    timeout 60 "$demo" "$name" --virtual --html "$to/reports/$name.html" </dev/null >/dev/null
done
cp -R .build/course "$to/course"
mkdir "$to/swift"
cp .build/docs/index.html .build/docs/pages.js "$to/swift"
for page in course swift; do
    sed 's|<header>|&<a href="../index.html">Home</a> |' "$to/$page/index.html" >"$to/page.html"
    mv "$to/page.html" "$to/$page/index.html"
done

rm -rf .build/site
mv "$to" .build/site
say "open file://$PWD/.build/site/index.html in a browser, or serve the folder .build/site"
