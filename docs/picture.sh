#!/usr/bin/env bash
# Makes docs/report.png, the picture of the README, from the report that the README shows: Chromium takes it.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cargo run --quiet -- report examples/place-my-job.toml -o "$scratch/report.html"
chromium --headless --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --window-size=1180,720 \
    --virtual-time-budget=3000 --screenshot="$scratch/report.png" "file://$scratch/report.html" 2>/dev/null
mv "$scratch/report.png" docs/report.png
