#!/bin/sh
# Runs in the unpacked archive: puts the version beside earlier ones and then lets the link "current" name it.
#   arc-console-VERSION.run [-- --target DIR]      default: ~/.local/opt/arc-console
set -eu
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
VERSION=$(cat "$HERE/version")
TARGET=${HOME:?}/.local/opt/arc-console
case ${1:-} in
    --target) TARGET=${2:?--target needs a directory} ;;
    '') ;;
    *) echo "arc-console: $1 is no option; there is --target DIR" >&2; exit 2 ;;
esac

# The bundle's libraries find each other by those that are loaded before them; ldd looks at one alone.
PLACES=$(find "$HERE/bundle" -name '*.so*' -type f | sed 's|/[^/]*$||' | sort -u | tr '\n' ':')
missing=$(LD_LIBRARY_PATH=$PLACES find "$HERE/bundle" -type f \( -name '*.so' -o -name '*.so.*' -o -name arc-console \) -exec ldd {} + 2>/dev/null |
    sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' | sort -u | tr '\n' ' ')
if [ -n "$missing" ]; then
    echo "arc-console: this system lacks $missing" >&2
    echo "arc-console: on Debian and Ubuntu install the .deb, which brings them, or the packages that hold them." >&2
    exit 3
fi

mkdir -p "$TARGET"
if [ -e "$TARGET/$VERSION" ]; then
    echo "arc-console: $TARGET/$VERSION is there already; remove it to install it anew." >&2
    exit 4
fi
# Under another name until it is whole, and the link last: a torn copy is never what starts.
cp -a "$HERE/bundle" "$TARGET/$VERSION.part"
sync "$TARGET" 2>/dev/null || sync
mv "$TARGET/$VERSION.part" "$TARGET/$VERSION"
ln -s "$VERSION" "$TARGET/current.new"
mv -T "$TARGET/current.new" "$TARGET/current"

if [ "$TARGET" = "$HOME/.local/opt/arc-console" ]; then
    mkdir -p "$HOME/.local/bin" "$HOME/.local/share/applications" "$HOME/.local/share/icons/hicolor/scalable/apps"
    ln -sf ../opt/arc-console/current/arc-console "$HOME/.local/bin/arc-console"
    sed "s|^Exec=.*|Exec=$TARGET/current/arc-console|; s|^TryExec=.*|TryExec=$TARGET/current/arc-console|" \
        "$HERE/arc-console.desktop" >"$HOME/.local/share/applications/arc-console.desktop"
    cp "$HERE/arc-console.svg" "$HOME/.local/share/icons/hicolor/scalable/apps/arc-console.svg"
fi
echo "ARC Console $VERSION is in $TARGET/current. Start it with $TARGET/current/arc-console"
