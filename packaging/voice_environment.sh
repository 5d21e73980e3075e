# Read by train_voice.sh and evaluate_voice.sh, after setup.sh: makes WORK/environment, where PyTorch is. Expects ROOT and
# WORK. NICENESS: of each step (19). Sets TRAINER and the variables that its commands need, and defines step. POSIX sh; safe to repeat.

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
step() { say "+ $*"; nice -n "${NICENESS:-19}" "$@"; }
