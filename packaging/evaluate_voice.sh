#!/bin/sh
# Measures the voice check on the recordings of a folder with a manifest.tsv (path, split, label, attack, speaker, lang,
# source), beside Resemblyzer and LFCC-GMM 64 on the same trials, and prints the error rates in per cent: who speaks, then
# whether it is a living voice, and each family of attacks left out by the judge's machines. WORK is what train_voice.sh
# has left. With FAMILY_STEPS in the environment networks are trained that have not heard a family of attacks (4 folds
# of 8 families), and the whole judge is measured so, too.
#   sh packaging/evaluate_voice.sh WORK RECORDINGS
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$ROOT/packaging/setup.sh"
[ $# -eq 2 ] || die 2 "sh packaging/evaluate_voice.sh WORK RECORDINGS"
WORK=$(CDPATH='' cd -- "$1" && pwd)
RECORDINGS=$(CDPATH='' cd -- "$2" && pwd)
. "$ROOT/packaging/voice_environment.sh"

step "$TRAINER" -m voice_model.speaker_evaluation --recordings "$RECORDINGS" --takes "$WORK/takes" --cache "$WORK/speakers"
step "$TRAINER" -m voice_model.dataset --listed "$RECORDINGS" --cache "$WORK/listed"
step "$TRAINER" -m voice_model.similarity --listed "$RECORDINGS" --out "$WORK/similarity.json"
if [ -n "${FAMILY_STEPS:-}" ]; then
    for family in griffin_lim world linear_prediction sinusoidal cepstral phase_vocoder neural speech_engines; do
        for fold in 0 1 2 3; do
            [ -f "$WORK/networks/without_$family/fold$fold.onnx" ] ||
                step "$TRAINER" -m voice_model.train_network --cache "$WORK/cache" --out "$WORK/networks" --fold "$fold" --without-family "$family" --steps "$FAMILY_STEPS"
        done
    done
fi
step "$TRAINER" -m voice_model.evaluate --cache "$WORK/cache" "$WORK/listed" --networks "$WORK/networks" --takes "$WORK/takes" --clones "$WORK/clones" --similarity "$WORK/similarity.json" --leave-families
