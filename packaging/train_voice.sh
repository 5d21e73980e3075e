#!/bin/sh
# Makes resources/voice: the models of the voice check and their calibration. Hours on two cores; what was done is kept in
# the folder WORK (some GiB), so that the command may be stopped and called again. EACH, VOCODER_STEPS and STEPS in the
# environment make it smaller or larger; OUT is another folder for the models.
#   sh packaging/train_voice.sh WORK
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"
[ $# -eq 1 ] || die 2 "sh packaging/train_voice.sh WORK"
mkdir -p "$1"
WORK=$(CDPATH='' cd -- "$1" && pwd)
. "$ROOT/packaging/voice_environment.sh"

EACH=${EACH:-100}
VOCODER_STEPS=${VOCODER_STEPS:-4000}
STEPS=${STEPS:-4000}
OUT=${OUT:-$ROOT/resources/voice}

step "$TRAINER" -m voice_model.fetch --out "$WORK/takes"
CHECKPOINT=$("$TRAINER" -c 'import importlib.metadata as m; print(m.distribution("Resemblyzer").locate_file("resemblyzer/pretrained.pt"))')
step "$TRAINER" -m voice_model.encoder_export --checkpoint "$CHECKPOINT" --out "$WORK/encoder.onnx"
step "$TRAINER" -m voice_model.speaker_training --takes "$WORK/takes" --encoder "$WORK/encoder.onnx" --cache "$WORK/speakers" --out "$OUT"
step "$TRAINER" -m voice_model.resonance_norms --takes "$WORK/takes" --out "$OUT"
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
step "$TRAINER" -m voice_model.train_experts --cache "$WORK/cache" --networks "$WORK/networks" --out "$OUT"
