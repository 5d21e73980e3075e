#!/bin/sh
# Makes the .deb and the .run of a built program: sh packaging/freeze/pack.sh BUNDLE OUT SOURCE...
# SOURCE: a file that goes along with the packages, since the licence of a part asks for it.
# SOURCE_DATE_EPOCH is the time of every file.
set -eu
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PACKAGING=$(dirname -- "$HERE")
BUNDLE=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$2"
OUT=$(CDPATH='' cd -- "$2" && pwd)
shift 2
rm -f "$OUT"/*
cp "$@" "$OUT/"
VERSION=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$PACKAGING/../pyproject.toml")
TREE=$(mktemp -d)
trap 'rm -rf "$TREE"' EXIT
umask 022

put() { install -D -m "$1" "$2" "$TREE/deb/$3"; } # MODE FILE PLACE

echo "+ the tree of the package" >&2
mkdir -p "$TREE/deb/opt" "$TREE/deb/usr/bin" "$TREE/deb/DEBIAN"
cp -a "$BUNDLE" "$TREE/deb/opt/arc-console"
find "$TREE/deb/opt" -type f -exec chmod u=rwX,go=rX {} +
find "$TREE/deb/opt" -type f \( -name '*.so*' -o -path '*.dist-info/*' \) -exec chmod 0644 {} +
chmod 0755 "$TREE/deb/opt/arc-console/_internal/resources/arc_verify.py"
find "$TREE/deb/opt" -type d -exec chmod 0755 {} +
ln -s /opt/arc-console/arc-console "$TREE/deb/usr/bin/arc-console"
put 644 "$PACKAGING/desktop/arc-console.desktop" usr/share/applications/arc-console.desktop
put 644 "$PACKAGING/desktop/arc-console.svg" usr/share/icons/hicolor/scalable/apps/arc-console.svg
put 644 "$PACKAGING/desktop/org.arc_console.Console.metainfo.xml" usr/share/metainfo/org.arc_console.Console.metainfo.xml
put 644 "$PACKAGING/systemd/arc-console.service" lib/systemd/system/arc-console.service
put 644 "$PACKAGING/systemd/arc-console.sysusers" usr/lib/sysusers.d/arc-console.conf
put 644 "$PACKAGING/systemd/arc-console.rules" usr/share/polkit-1/rules.d/50-arc-console.rules
put 644 "$HERE/lintian-overrides" usr/share/lintian/overrides/arc-console
put 644 "$HERE/copyright" usr/share/doc/arc-console/copyright
mkdir -p "$TREE/deb/usr/share/man/man1" "$TREE/deb/usr/share/bash-completion/completions"
"$BUNDLE/arc-console" man | gzip -9n >"$TREE/deb/usr/share/man/man1/arc-console.1.gz"
"$BUNDLE/arc-console" completion >"$TREE/deb/usr/share/bash-completion/completions/arc-console"
{
    printf 'arc-console (%s) unstable; urgency=medium\n\n' "$VERSION"
    printf '  * What changed stands in CHANGELOG.md beside this file.\n\n'
    printf ' -- ARC Console <arc-console@localhost>  %s\n' "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$TREE/deb/usr/share/doc/arc-console/changelog.gz"
gzip -9nc "$PACKAGING/CHANGELOG.md" >"$TREE/deb/usr/share/doc/arc-console/CHANGELOG.md.gz"
for script in postinst prerm postrm; do
    install -m 755 "$HERE/$script" "$TREE/deb/DEBIAN/$script"
done

echo "+ dpkg-shlibdeps: which libraries of Debian it needs" >&2
mkdir -p "$TREE/source/debian"
printf 'Source: arc-console\nPackage: arc-console\nArchitecture: amd64\n' >"$TREE/source/debian/control"
find "$BUNDLE" -type f \( -name '*.so' -o -name '*.so.*' -o -name arc-console \) >"$TREE/libraries"
find "$BUNDLE" -type d -printf '-l%p\n' >"$TREE/places"
# No place of ours has a space in it: ROOT's own may.
needed=$(cd "$TREE/source" && tr '\n' '\0' <"$TREE/places" | xargs -0 sh -c '
    libraries=$1; shift
    tr "\n" "\0" <"$libraries" | xargs -0 dpkg-shlibdeps -O --ignore-missing-info "$@" 2>/dev/null' - "$TREE/libraries" |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$needed" ] || { echo "dpkg-shlibdeps found nothing: it must see every library at once" >&2; exit 1; }
cat >"$TREE/deb/DEBIAN/control" <<END
Package: arc-console
Version: $VERSION
Architecture: amd64
Maintainer: ARC Console <arc-console@localhost>
Installed-Size: $(du -sk --apparent-size "$TREE/deb" | cut -f 1)
Depends: $needed, libpcsclite1, libportaudio2
Recommends: pcscd
Suggests: libccid, at-spi2-core
Section: misc
Priority: optional
Description: identity verification, secure cards and access revocation
 A console for a badge office and the service that it embeds: it verifies
 people, writes cards, watches server frames and burns access. It brings its
 own Python and opens no connection that a person did not set up.
END
find "$TREE/deb" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

echo "+ dpkg-deb" >&2
dpkg-deb --root-owner-group "-Z${ARC_COMPRESSION:-xz}" --build "$TREE/deb" "$OUT/arc-console_${VERSION}_amd64.deb" >&2

echo "+ makeself" >&2
mkdir "$TREE/run"
cp -a "$TREE/deb/opt/arc-console" "$TREE/run/arc-console"
install -m 755 "$HERE/install.sh" "$TREE/run/install.sh"
printf '%s\n' "$VERSION" >"$TREE/run/version"
find "$TREE/run" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
# The file holds makeself's own command line and gzip's time: here every place is relative, and gzip writes none. xz would be
# smaller, but a bare system has none.
mkdir "$TREE/bin"
printf '#!/bin/sh\nexec %s -n "$@"\n' "$(command -v gzip)" >"$TREE/bin/gzip"
chmod 755 "$TREE/bin/gzip"
cd "$TREE"
PATH="$TREE/bin:$PATH" makeself --nox11 --nomd5 --nocrc --sha256 --quiet \
    --packaging-date "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH")" \
    --tar-extra "--sort=name --owner=0 --group=0 --numeric-owner" run "arc-console-$VERSION.run" "ARC Console $VERSION" ./install.sh >&2
mv "arc-console-$VERSION.run" "$OUT/"
cd "$OUT"
sha256sum -- * >"$TREE/SHA256SUMS"
mv "$TREE/SHA256SUMS" .
