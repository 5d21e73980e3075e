#!/bin/sh
# Builds the FFmpeg of the packages, under the LGPL: what the program reads of video and sound, and what it writes, which are
# calls by Opus and the videos by which a worker warms itself. The wheel of av brings one with libx264 and libx265, which are
# under the GPL and which nothing here calls.
#   sh packaging/freeze/ffmpeg.sh SOURCE OUT     SOURCE: ffmpeg-VERSION.tar.xz, the release of FFmpeg's makers
# Needs nasm, libdav1d-dev and libopus-dev: AV1 and Opus stay the system's libraries.
set -eu
# The version that the locked av was made for, and what its release hashes to.
VERSION=8.1.2
SHA256=464beb5e7bf0c311e68b45ae2f04e9cc2af88851abb4082231742a74d97b524c
NAME=ffmpeg-$VERSION.tar.xz
case ${1-} in
    name) echo "$NAME"; exit 0 ;;
    sha256) echo "$SHA256"; exit 0 ;;
esac
SOURCE=$1
OUT=$2
PREFIX=/opt/ffmpeg

[ "$(sha256sum <"$SOURCE" | cut -d ' ' -f 1)" = "$SHA256" ] ||
    { echo "$SOURCE is not $NAME as its makers published it (SHA-256 $SHA256)" >&2; exit 2; }
stamp="$SHA256 $(sha256sum <"$0" | cut -d ' ' -f 1)"
[ "$(cat "$OUT/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
rm -rf "$OUT"
mkdir -p "$OUT"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
tar -xJf "$SOURCE" -C "$WORK" --strip-components 1
cd "$WORK"
echo "+ building FFmpeg $VERSION (some minutes)" >&2
# Demuxers are those that app/capabilities/media/video/reading.py and app/client/voice_recording.py name; a decoder of each
# codec that such a file may hold. No protocol and no network: the program gives FFmpeg bytes.
./configure --prefix="$PREFIX" --enable-shared --disable-static --enable-pic --disable-debug --disable-programs --disable-doc \
    --disable-autodetect --disable-network --disable-protocols --disable-devices --disable-hwaccels \
    --disable-muxers --enable-muxer=mp4,matroska --disable-filters --enable-filter=aformat,aresample \
    --disable-demuxers --enable-demuxer=mov,matroska,avi,mpegts,mjpeg,flac \
    --disable-encoders --enable-encoder=libopus,mpeg4,mjpeg --enable-libopus --enable-libdav1d --enable-zlib >"$WORK/configure.log" ||
    { cat "$WORK/configure.log" >&2; exit 1; }
grep -qx 'License: LGPL version 2.1 or later' "$WORK/configure.log" ||
    { grep '^License' "$WORK/configure.log" >&2; exit 1; }
make -s -j "$(nproc)" >"$WORK/make.log" 2>&1 || { tail -n 30 "$WORK/make.log" >&2; exit 1; }
make -s install DESTDIR="$OUT" >"$WORK/install.log" 2>&1 || { tail -n 30 "$WORK/install.log" >&2; exit 1; }
cp COPYING.LGPLv2.1 "$OUT/"
printf '%s\n' "$stamp" >"$OUT/stamp"
