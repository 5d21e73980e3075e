#!/bin/sh
# Makes resources/media: the network of the media scan, its calibration and its version. Hours on two cores; what was
# done is kept in the folder WORK (some GiB), so that the command may be stopped and called again.
#   sh packaging/train_media.sh WORK
# The training goes on from the network that is shipped; with START= (empty) it begins anew.
# OTHERS=DIR lets the authentic images of a folder calibrate the scores too (see media_model.calibrate).
# LEFT_OUT=STEPS trains five networks more, each from nothing: without one group of kinds each, and one of all.
# EVALUATED=DIR ends with the figures on that folder's images, beside those networks' (see media_model.evaluate).
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"
[ $# -eq 1 ] || die 2 "sh packaging/train_media.sh WORK"
mkdir -p "$1"
WORK=$(CDPATH='' cd -- "$1" && pwd)

IMAGES=${IMAGES:-6000}
STEPS=${STEPS:-8000}
START=${START-$ROOT/resources/media/network.onnx}

PACKAGES="$BUILD_PACKAGES $RUN_PACKAGES python3-torch"
LOCK=requirements.lock
require_platform
install_packages
find_python
make_environment
# PyTorch is Debian's, built for the system's Python.
TRAINER=$WORK/environment/bin/python
if [ "$(cat "$WORK/environment/stamp" 2>/dev/null)" != "$(stamp_of train.lock)" ]; then
    rm -rf "$WORK/environment"
    /usr/bin/python3 -m venv --system-site-packages "$WORK/environment"
    install_locked "$TRAINER" --only-binary :all: -r "$ROOT/packaging/train.lock"
    stamp_of train.lock >"$WORK/environment/stamp"
fi

cd "$ROOT"
PYTHONPATH=$ROOT:$ROOT/packaging
OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1
export PYTHONPATH OMP_NUM_THREADS OPENBLAS_NUM_THREADS
step() { say "+ $*"; "$@"; }

step "$PYTHON" -m media_model.fetch --out "$WORK/photos"
for split in "train $IMAGES" "check ${CHECKED:-160}" "plain ${AUTHENTIC:-1100}" "proof ${PROVED:-1010}"; do
    # shellcheck disable=SC2086
    set -- $split
    step "$PYTHON" -m media_model.dataset --photos "$WORK/photos" --cache "$WORK/cache" --split "$1" --count "$2" --part 0/2 &
    other=$!
    step "$PYTHON" -m media_model.dataset --photos "$WORK/photos" --cache "$WORK/cache" --split "$1" --count "$2" --part 1/2
    wait "$other"
done
step "$TRAINER" -m media_model.train --cache "$WORK/cache" --out "$WORK/run" --steps "$STEPS" --threads 1 ${START:+--start "$START"}
step "$PYTHON" -m media_model.calibrate --cache "$WORK/cache" --network "$WORK/run/network.onnx" --out "$ROOT/resources/media" \
    ${OTHERS:+--others "$OTHERS"}

leave_out() { # NAME FAMILY...
    out=$WORK/left_out/$1
    shift
    # shellcheck disable=SC2086
    step "$TRAINER" -m media_model.train --cache "$WORK/cache" --out "$out" --steps "$LEFT_OUT" --threads 1 ${1:+--without "$@"}
}
LEFT_OUT=${LEFT_OUT:-0}
if [ "$LEFT_OUT" -gt 0 ]; then
    leave_out all
    leave_out splices splice swap drawn_object
    leave_out copies copy_move inpaint
    leave_out filters filters noise
    leave_out blends poisson swap self_blend
fi
if [ -n "${EVALUATED:-}" ]; then
    set --
    if [ "$LEFT_OUT" -gt 0 ]; then
        set -- --as-long "$WORK/left_out/all/network.onnx" --left-out \
            "splice,splice_scale=$WORK/left_out/splices/network.onnx" \
            "copymove,inpaint_telea=$WORK/left_out/copies/network.onnx" \
            "local_blur,local_noise=$WORK/left_out/filters/network.onnx" \
            "poisson,face=$WORK/left_out/blends/network.onnx"
    fi
    step "$PYTHON" -m media_model.evaluate --images "$EVALUATED" --jobs 2 --authentic "$WORK/cache/proof" "$@"
fi
