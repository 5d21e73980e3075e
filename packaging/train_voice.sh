#!/bin/sh
# Makes resources/voice: the models of the voice check and their calibration. Hours on two cores; what was done is kept in
# the folder WORK (some GiB), so that the command may be stopped and called again.
#   sh packaging/train_voice.sh WORK
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"
[ $# -eq 1 ] || die 2 "sh packaging/train_voice.sh WORK"
mkdir -p "$1"
WORK=$(CDPATH='' cd -- "$1" && pwd)

EACH=${EACH:-100}
VOCODER_STEPS=${VOCODER_STEPS:-4000}
STEPS=${STEPS:-4000}

VOICES="espeak-ng flite festival festvox-kallpc16k festvox-kdlpc16k festvox-czech-dita festvox-czech-machac festvox-czech-krb festvox-ru festvox-suopuhe-lj festvox-suopuhe-mv festvox-us-slt-hts festvox-ca-ona-hts festvox-italp16k festvox-itapc16k"
PACKAGES="$BUILD_PACKAGES $RUN_PACKAGES python3-torch $VOICES"
LOCK=requirements.lock
require_platform
install_packages
find_python
make_environment
# PyTorch is Debian's, built for the system's Python and its numpy.
TRAINER=$WORK/environment/bin/python
if [ "$(cat "$WORK/environment/stamp" 2>/dev/null)" != "$(stamp_of train_voice.lock)" ]; then
    rm -rf "$WORK/environment"
    /usr/bin/python3 -m venv --system-site-packages "$WORK/environment"
    # The lock is whole: without this pip would put PyPI's PyTorch over Debian's for Resemblyzer.
    install_locked "$TRAINER" --no-deps --only-binary :all: -r "$ROOT/packaging/train_voice.lock"
    # These come as source alone; pyworld is built with Debian's numpy and the Cython of the lock.
    install_locked "$TRAINER" --no-deps --no-build-isolation -r "$ROOT/packaging/train_voice_source.lock"
    "$TRAINER" -c 'import pyworld, sklearn, torch' || die 4 "the training's packages do not go together; pyworld needs setuptools under 81"
    stamp_of train_voice.lock >"$WORK/environment/stamp"
fi

cd "$ROOT"
PYTHONPATH=$ROOT:$ROOT/packaging
OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1
export PYTHONPATH OMP_NUM_THREADS OPENBLAS_NUM_THREADS
step() { say "+ $*"; nice -n 19 "$@"; }

step "$TRAINER" -m voice_model.fetch --out "$WORK/takes"
CHECKPOINT=$("$TRAINER" -c 'import importlib.metadata as m; print(m.distribution("Resemblyzer").locate_file("resemblyzer/pretrained.pt"))')
step "$TRAINER" -m voice_model.encoder_export --checkpoint "$CHECKPOINT" --out "$WORK/encoder.onnx"
step "$TRAINER" -m voice_model.speaker_training --takes "$WORK/takes" --encoder "$WORK/encoder.onnx" --cache "$WORK/speakers"
for hop in 160 200; do
    [ -f "$WORK/neural$hop.pt" ] ||
        step "$TRAINER" -m voice_model.attacks.neural --takes "$WORK/takes" --out "$WORK/neural$hop.pt" --steps "$VOCODER_STEPS" --hop "$hop"
done
step "$TRAINER" -m voice_model.generate --takes "$WORK/takes" --out "$WORK/clones" --neural "$WORK/neural160.pt" "$WORK/neural200.pt" --each "$EACH"
step "$TRAINER" -m voice_model.dataset --takes "$WORK/takes" --clones "$WORK/clones" --cache "$WORK/cache" --part 0/2 &
other=$!
step "$TRAINER" -m voice_model.dataset --takes "$WORK/takes" --clones "$WORK/clones" --cache "$WORK/cache" --part 1/2
wait "$other"
for fold in -1 0 1 2 3; do
    step "$TRAINER" -m voice_model.train_network --cache "$WORK/cache" --out "$WORK/networks" --fold "$fold" --steps "$STEPS"
done
step "$TRAINER" -m voice_model.train_experts --cache "$WORK/cache" --networks "$WORK/networks"
