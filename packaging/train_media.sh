#!/bin/sh
# Makes resources/media: the network of the media scan, its calibration and its version. Hours on two cores; what was
# done is kept in the folder WORK (some GiB), so that the command may be stopped and called again.
#   sh packaging/train_media.sh WORK
# The training goes on from the network that is shipped; with START= (empty) it begins anew.
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
for split in "train $IMAGES" "check ${CHECKED:-160}" "plain ${AUTHENTIC:-1100}"; do
    # shellcheck disable=SC2086
    set -- $split
    step "$PYTHON" -m media_model.dataset --photos "$WORK/photos" --cache "$WORK/cache" --split "$1" --count "$2" --part 0/2 &
    other=$!
    step "$PYTHON" -m media_model.dataset --photos "$WORK/photos" --cache "$WORK/cache" --split "$1" --count "$2" --part 1/2
    wait "$other"
done
step "$TRAINER" -m media_model.train --cache "$WORK/cache" --out "$WORK/run" --steps "$STEPS" --threads 1 ${START:+--start "$START"}
step "$PYTHON" -m media_model.calibrate --cache "$WORK/cache" --network "$WORK/run/network.onnx" --out "$ROOT/resources/media"
