# Read by package.sh: the archive that installs itself without root. Expects what deb.sh expects.

make_run() {
    tree=$BUILD/run
    mkdir -p "$tree"
    mv "$BUILD/deb/opt/arc-console" "$tree/bundle"
    install -m 755 packaging/freeze/install.sh "$tree/install.sh"
    install -m 644 packaging/desktop/arc-console.desktop packaging/desktop/arc-console.svg "$tree/"
    printf '%s\n' "$VERSION" >"$tree/version"
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    # gzip: each Debian has it.
    makeself --quiet --gzip --complevel 6 --packaging-date "$(date -u -d "@$SOURCE_DATE_EPOCH")" \
        --tar-extra "--sort=name --owner=0 --group=0 --numeric-owner --format=gnu" \
        "$tree" "$DIST/arc-console-$VERSION-linux-$(uname -m).run" "ARC Console $VERSION" ./install.sh >&2
}
