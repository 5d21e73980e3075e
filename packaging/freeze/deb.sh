# Read by package.sh: the Debian package from the bundle. Expects ROOT, BUILD, BUNDLE, DIST, VERSION, SOURCE_DATE_EPOCH, INTERNAL.

needed_packages() { # what the bundle's programs and libraries are linked to, by the packages that bring it
    work=$BUILD/shlibdeps
    mkdir -p "$work/debian"
    printf 'Source: arc-console\n\nPackage: arc-console\nArchitecture: any\n' >"$work/debian/control"
    find "$BUNDLE" -type f \( -name '*.so' -o -name '*.so.*' -o -name arc-console \) >"$work/files"
    # Libraries of the bundle belong to no package: their directories are searched, and their absence there is no fault.
    inside=$(sed 's|/[^/]*$||' "$work/files" | sort -u | sed 's/^/-l/')
    # shellcheck disable=SC2046,SC2086
    (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info $inside $(cat files) 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

make_deb() {
    tree=$BUILD/deb
    arch=$(dpkg --print-architecture)
    mkdir -p "$tree/DEBIAN" "$tree/opt" "$tree/usr/bin" "$tree/usr/share/doc/arc-console" "$tree/usr/share/lintian/overrides"
    cp -a "$BUNDLE" "$tree/opt/arc-console"
    ln -s ../../opt/arc-console/arc-console "$tree/usr/bin/arc-console"
    install -D -m 644 packaging/desktop/arc-console.desktop "$tree/usr/share/applications/arc-console.desktop"
    install -D -m 644 packaging/desktop/arc-console.svg "$tree/usr/share/icons/hicolor/scalable/apps/arc-console.svg"
    install -D -m 644 packaging/desktop/org.arc_console.Console.metainfo.xml \
        "$tree/usr/share/metainfo/org.arc_console.Console.metainfo.xml"
    install -D -m 644 packaging/systemd/arc-console.service "$tree/lib/systemd/system/arc-console.service"
    install -D -m 644 packaging/systemd/arc-console.sysusers "$tree/usr/lib/sysusers.d/arc-console.conf"
    install -D -m 644 packaging/systemd/arc-console.rules "$tree/usr/share/polkit-1/rules.d/50-arc-console.rules"
    install -D -m 644 "$BUILD/arc-console.bash" "$tree/usr/share/bash-completion/completions/arc-console"
    install -D -m 644 "$BUILD/arc-console.1" "$tree/usr/share/man/man1/arc-console.1"
    gzip -9n "$tree/usr/share/man/man1/arc-console.1"
    gzip -9nc packaging/CHANGELOG.md >"$tree/usr/share/doc/arc-console/changelog.gz"
    install -m 644 packaging/freeze/copyright "$tree/usr/share/doc/arc-console/copyright"
    install -m 644 packaging/freeze/lintian-overrides "$tree/usr/share/lintian/overrides/arc-console"
    for script in postinst prerm postrm; do
        install -m 755 "packaging/freeze/$script" "$tree/DEBIAN/$script"
    done
    # What is loaded by name and linked to by nothing.
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: arc-console
Version: $VERSION
Architecture: $arch
Maintainer: ARC Console maintainers <arc-console@localhost>
Section: admin
Priority: optional
Installed-Size: $(du -sk --apparent-size "$tree" | cut -f 1)
Depends: $(needed_packages), libpcsclite1
Recommends: pcscd, libportaudio2
Suggests: libccid
Description: verify people, write cards, watch frames, burn access
 A desktop console, with the service that it embeds, by which an organization
 proves that a person is a real human, writes that person a card, watches the
 machinery that trusts it, and takes all of it away at once.${INTERNAL:+
 .
 Built for machines of one's own: it holds parts that may not be given away,
 which /opt/arc-console/licenses names.}
CONTROL
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    say "+ dpkg-deb $DIST/arc-console_${VERSION}_$arch.deb"
    dpkg-deb --root-owner-group -Zxz -z"${ARC_COMPRESSION:-6}" --build "$tree" "$DIST/arc-console_${VERSION}_$arch.deb" >&2
}
