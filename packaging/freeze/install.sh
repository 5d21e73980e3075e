#!/bin/sh
# The .run file's own installer: into DIR, or ~/.local/opt/arc-console. No root. `arc-console-VERSION.run -- DIR`
set -eu
PLACE=${1:-$HOME/.local/opt/arc-console}
VERSION=$(cat version)
missing=$(find arc-console \( -name '*.so' -o -name '*.so.*' \) -type f |
    LD_LIBRARY_PATH=$PWD/arc-console/_internal xargs ldd 2>/dev/null | sed -n 's/^\s*\(\S*\) => not found$/\1/p' | sort -u | tr '\n' ' ')
if [ -n "$missing" ]; then
    echo "This system lacks libraries that ARC Console needs: $missing" >&2
    echo "On Debian 12 the .deb brings them: apt-get install ./arc-console_${VERSION}_amd64.deb" >&2
    exit 3
fi
mkdir -p "$PLACE"
# Beside what runs: nothing of a version is changed while it is in use, and the link turns last.
new=$PLACE/.$VERSION.$$
trap 'rm -rf "$new"' EXIT
cp -a arc-console "$new"
rm -rf "${PLACE:?}/$VERSION"
mv "$new" "$PLACE/$VERSION"
ln -s "$VERSION" "$PLACE/.current.$$"
mv -T "$PLACE/.current.$$" "$PLACE/current"
echo "ARC Console $VERSION is installed. Start it: $PLACE/current/arc-console"
echo "To remove it, delete $PLACE; sites stay where they are."
