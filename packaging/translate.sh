#!/bin/sh
# Brings the words of the console into resources/translations: finds every text that is given to tr, keeps what is
# translated, drops what is no longer said, and makes the files that the console reads. A text without a translation is
# "unfinished" in the .ts file, which Qt Linguist or an editor fills; then run this again. A test fails until nothing is.
#   sh packaging/translate.sh
set -eu
cd "$(dirname "$0")/.."
for language in de; do
    words=resources/translations/arc-console_$language
    # The tour is the makers' own and speaks English. No guesses: a text that was changed is translated anew.
    .venv/bin/pyside6-lupdate -silent -no-obsolete -sort-messages -locations none -disable-heuristic sametext \
        -disable-heuristic similartext -target-language "$language" \
        $(find app/console -name '*.py' -not -path 'app/console/tour/*' | LC_ALL=C sort) -ts "$words.ts"
    .venv/bin/pyside6-lrelease -silent "$words.ts" -qm "$words.qm"
done
