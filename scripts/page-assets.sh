#!/bin/sh
# Writes page_assets.h: the style and the scripts of report's pages as bytes, each with its hash for the page's policy.
# The library of charts is preceded by its licence. The browser of tables becomes a script inside a function.
# usage: page-assets.sh OUTPUT CHART_JS CHART_LICENCE STYLE SCRIPT BROWSER
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 6 6 "$@"
output=$1 chart=$2 licence=$3 style=$4 script=$5 browser=$6

for file in "$chart" "$licence"; do
    if [ ! -r "$file" ]; then
        echo "page-assets: $file is missing: install libjs-chart.js (sh scripts/bootstrap.sh packages), or say CHART_JS=FILE" \
            "CHART_LICENCE=FILE" >&2
        exit 3
    fi
done

folder=$(dirname "$output")
mkdir -p "$folder"
part=$(mktemp "$folder/page_part.XXXXXX")
trap 'rm -f "$part" "$part".* "$output.new"' EXIT

# As XML, scripts are CDATA; neither that nor a script's end may occur in them.
wrapped() { # FILE...
    printf '//<![CDATA[\n'
    cat "$@"
    printf '\n//]]>\n'
}

asset() { # NAME, its text in $part
    # The hash of the policy is base64 of SHA-256: hexadecimal digits to bytes by way of octal escapes.
    hash=$(sha256sum "$part" | cut -d ' ' -f 1 | sed 's/../0x& /g')
    # shellcheck disable=SC2086,SC2059 # 32 numbers; a format made of octal escapes
    hash=$(printf "$(printf '\\%03o' $hash)" | base64)
    echo "ASSET(asset_$1, \"sha256-$hash\","
    od -An -v -tu1 "$part" | sed -e 's/^ *//' -e 's/  */,/g' -e '$!s/$/,/'
    echo ")"
}

if grep -qiE '</script|<!--|\]\]>' "$chart"; then
    echo "page-assets: $chart: expected a script that can be embedded in a page, got one with its end in it" >&2
    exit 3
fi

{
    cat "$style" >"$part"
    asset page_css
    wrapped "$script" >"$part"
    asset page_js
    {
        echo '(() => {'
        echo "'use strict';"
        cat "$browser"
        echo '})();'
    } >"$part.browser"
    wrapped "$part.browser" >"$part"
    rm "$part.browser"
    asset browse_js
    {
        echo '/* Chart.js and its licence, from its package:'
        sed 's/\*\//* \//g' "$licence"
        echo '*/'
    } >"$part.licence"
    wrapped "$part.licence" "$chart" >"$part"
    rm "$part.licence"
    asset chart_js
} >"$output.new"
mv "$output.new" "$output"
