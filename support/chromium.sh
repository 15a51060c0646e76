# chromium.sh: brings Chromium, and Python's playwright and axe-core. Its users source it.
#
# Installs chromium with apt-get if it is missing, and the packages in .build/browser.
# Sets python to the Python that has playwright.

python=.build/browser/bin/python

if ! command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1; then
    echo "browser: installing chromium" >&2
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
if ! "$python" -c 'import playwright, axe_playwright_python' 2>/dev/null; then
    echo "browser: installing playwright and axe-core in .build/browser" >&2
    python3 -m venv .build/browser
    "$python" -m pip install --quiet playwright==1.65.2 axe-playwright-python==0.1.8
fi
