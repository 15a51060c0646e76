#!/bin/sh
# teaching-pictures.sh: makes examples/images/teaching-*.png of pages of weir-demo, that of README
# among them, with a headless Chromium. The runs are simulated, so the pictures change only if the pages do.
set -eu
cd "$(dirname "$0")/.."
demo=${DEMO:-.build/demos/release/weir-demo}
folder=$PWD/.build/pictures
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || {
    echo "teaching-pictures.sh: no Chromium in PATH; set CHROMIUM" >&2
    exit 1
}
mkdir -p "$folder" examples/images

# picture NAME HEIGHT DEMO...: the upper part of a page, 1200 pixels wide.
picture() {
    name=$1 height=$2
    shift 2
    "$demo" "$@" --virtual --html "$folder/$name.html" > "$folder/$name.txt"
    timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$folder/profile" --window-size="1200,$height" \
        --screenshot="$folder/$name.png" "file://$folder/$name.html" 2> "$folder/$name.log"
    size=$(wc -c < "$folder/$name.png")
    if [ "$size" -gt 262144 ]; then
        echo "teaching-pictures.sh: $name.png has $size bytes, more than 256 KB" >&2
        exit 1
    fi
    cp "$folder/$name.png" "examples/images/$name.png"
}

picture teaching-downloads 1150 downloads --predict 5,20
picture teaching-loops 760 loops --body even
picture teaching-images 1000 images --step 5
picture teaching-gallery 1200 gallery --predict 5,5,1
rm -rf "$folder/profile"
