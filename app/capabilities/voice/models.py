"""Opens the models of the voice check."""

from __future__ import annotations

from pathlib import Path

from app.capabilities.voice.analyser import VoiceAnalyser


def load_engine(folder: Path) -> VoiceAnalyser:
    """The engine with the models of ``folder``. ``OSError`` or ``ValueError`` where they are missing or altered."""
    # Imported here: ONNX Runtime takes longer to load than the rest of the service, which starts meanwhile.
    from app.capabilities.voice.engine import VoiceEngine

    return VoiceEngine.load(folder)
