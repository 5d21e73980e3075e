"""Text-to-speech engines of Debian: espeak-ng (formants and Klatt), flite (diphones and statistical), festival
(diphones, units, and statistical with MLSA filters)."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numpy.random import Generator

from app.capabilities.voice.matrix import Samples
from voice_model.fetch import read_recording, takes_of


@dataclass(frozen=True, slots=True)
class Synthesizer:
    """A voice of an engine. ``kind``: engine and way of synthesis; ``command``: what writes ``{out}``, with the text
    on standard input; ``encoding``: of the text."""

    kind: str
    voice: str
    language: str
    command: tuple[str, ...]
    encoding: str = "utf-8"


def _espeak(language: str, voice: str) -> Synthesizer:
    kind = "tts_klatt" if "klatt" in voice else "tts_espeak"
    return Synthesizer(kind, voice, language, ("espeak-ng", "-v", voice, "-w", "{out}"))


def _flite(voice: str) -> Synthesizer:
    kind = "tts_flite_diphone" if voice.startswith("kal") else "tts_flite_statistical"
    return Synthesizer(kind, voice, "en", ("flite", "-voice", voice, "-f", "/dev/stdin", "-o", "{out}"))


def _festival(kind: str, language: str, voice: str, encoding: str = "utf-8") -> Synthesizer:
    return Synthesizer(kind, voice, language, ("text2wave", "-eval", f"(voice_{voice})", "-o", "{out}", "-"), encoding)


SYNTHESIZERS: Final = (
    *(
        _espeak(language, voice)
        for language, voice in (
            ("en", "en-us"), ("en", "en-gb+f3"), ("en", "en-gb-scotland+m3"), ("de", "de"), ("de", "de+f4"),
            ("fr", "fr+f2"), ("fr", "fr"),
            ("es", "es"), ("es", "es+f5"), ("cs", "cs"), ("uk", "ru+m4"), ("ca", "ca"), ("bg", "bg+f1"),
            ("en", "en-us+klatt"), ("de", "de+klatt3"), ("es", "es+klatt2"), ("fr", "fr+klatt4"), ("cs", "cs+klatt5"),
        )
    ),
    *(_flite(voice) for voice in ("kal", "kal16", "awb", "rms", "slt")),
    _festival("tts_diphone", "en", "kal_diphone"),
    _festival("tts_diphone", "en", "ked_diphone"),
    _festival("tts_diphone", "cs", "czech_dita", "iso-8859-2"),
    _festival("tts_diphone", "cs", "czech_machac", "iso-8859-2"),
    _festival("tts_diphone", "cs", "czech_krb", "iso-8859-2"),
    _festival("tts_diphone", "it", "pc_diphone", "iso-8859-1"),
    _festival("tts_diphone", "it", "lp_diphone", "iso-8859-1"),
    _festival("tts_diphone", "fi", "suo_fi_lj_diphone", "iso-8859-1"),
    _festival("tts_diphone", "fi", "hy_fi_mv_diphone", "iso-8859-1"),
    _festival("tts_units", "uk", "msu_ru_nsh_clunits"),
    _festival("tts_hts", "en", "cmu_us_slt_arctic_hts"),
    _festival("tts_hts", "ca", "upc_ca_ona_hts", "iso-8859-1"),
)  # fmt: skip
"""The voices. Russian ones count as the language group of Ukrainian: only the fold depends on it."""

_TEXTS: Final = {
    "en": "The door is open now. Please say your name after the tone. Seven green boats lay in the small harbour. "
    "We will meet again at a quarter past nine. Nobody had seen the letter before Friday. Thank you for calling.",
    "de": "Die Tür ist jetzt offen. Bitte sagen Sie Ihren Namen nach dem Ton. Sieben grüne Boote lagen im Hafen. "
    "Wir treffen uns wieder um Viertel nach neun. Niemand hatte den Brief vor Donnerstag gesehen.",
    "fr": "La porte est ouverte maintenant. Dites votre nom après le signal. Sept bateaux dormaient dans le port. "
    "Nous nous reverrons à neuf heures et quart. Personne n'avait vu la lettre avant jeudi.",
    "es": "La puerta está abierta ahora. Diga su nombre después del tono. Siete barcos verdes dormían en el puerto. "
    "Nos veremos otra vez a las nueve y cuarto. Nadie había visto la carta antes del jueves.",
    "cs": "Dveře jsou nyní otevřené. Po zaznění tónu řekněte své jméno. Sedm zelených lodí leželo v malém přístavu. "
    "Sejdeme se zase ve čtvrt na deset. Nikdo ten dopis před čtvrtkem neviděl.",
    "it": "La porta adesso è aperta. Dica il suo nome dopo il segnale. Sette barche verdi dormivano nel piccolo porto. "
    "Ci vediamo di nuovo alle nove e un quarto. Nessuno aveva visto la lettera prima di giovedì.",
    "fi": "Ovi on nyt auki. Sanokaa nimenne merkin jälkeen. Seitsemän vihreää venettä oli pienessä satamassa. "
    "Tapaamme taas vartin yli yhdeksän. Kukaan ei ollut nähnyt kirjettä ennen torstaita.",
    "uk": "Дверь сейчас открыта. Назовите своё имя после сигнала. Семь зелёных лодок стояли в маленькой гавани. "
    "Мы встретимся снова в четверть десятого. Никто не видел письма до четверга.",
    "bg": "Вратата сега е отворена. Кажете името си след сигнала. Седем зелени лодки стояха в малкото пристанище. "
    "Ще се срещнем отново в девет и петнадесет. Никой не беше виждал писмото преди четвъртък.",
    "ca": "La porta ara és oberta. Digueu el vostre nom després del senyal. Set barques verdes dormien al port petit. "
    "Ens tornarem a veure a un quart de deu. Ningú no havia vist la carta abans de dijous.",
}


def spoken_takes(synthesizer: Synthesizer, wanted: int, rng: Generator) -> list[Samples]:
    """Takes of the voice; the sentences in another order each time, with numbers between them. Fewer where the engine
    says too little. ``CalledProcessError`` where it fails."""
    sentences = [sentence.strip(". ") + "." for sentence in _TEXTS[synthesizer.language].split(". ")]
    found: list[Samples] = []
    while len(found) < wanted:
        order = rng.permutation(sentences)
        text = " ".join(f"{sentence} {int(rng.integers(0, 99))}." for sentence in order)
        takes = list(takes_of(iter([_spoken(synthesizer, text)])))
        if not takes:
            break
        found += takes
    return found[:wanted]


def _spoken(synthesizer: Synthesizer, text: str) -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "spoken.wav"
        command: Sequence[str] = [part.format(out=out) for part in synthesizer.command]
        spoken = text.encode(synthesizer.encoding, "replace")
        subprocess.run(command, input=spoken, check=True, capture_output=True, timeout=600)
        return read_recording(out)
