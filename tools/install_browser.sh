#!/usr/bin/env bash
# Install the browser that `make test-browser` drives: Debian's chromium with its driver. Does nothing if they are there.
set -euo pipefail
packages=(chromium chromium-driver fonts-dejavu-core)

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    echo "browser: $(command -v chromium) and $(command -v chromedriver) are there"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "browser: no apt-get here; install chromium and chromedriver by hand" >&2
    exit 1
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "browser: apt-get needs root; run as root: apt-get install ${packages[*]}" >&2
        exit 1
    fi
    run=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
if ! { "${run[@]}" apt-get update -qq && "${run[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >/tmp/install_browser.log 2>&1; then
    tail -n 5 /tmp/install_browser.log >&2
    echo "browser: apt-get could not install ${packages[*]}; the log is /tmp/install_browser.log" >&2
    exit 1
fi
echo "browser: installed ${packages[*]}"
