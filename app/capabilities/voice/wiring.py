"""How the voice check joins a site."""

from __future__ import annotations

from pathlib import Path

from app.capabilities.voice import operations
from app.capabilities.voice.analyser import MODELS, AnalysisThreads, VoiceModels
from app.capabilities.voice.enrolment import VoiceEnrolments
from app.capabilities.voice.models import load_engine
from app.capabilities.voice.replay import ReplayMemory
from app.capabilities.voice.service import VoiceChecks
from app.capabilities.voice.signatures import VocalSignatures
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Gauge, Life, Wired, nothing


def wire(parts: Parts) -> Wired:
    """Checks of voices and their enrolment. Without its models the site works, and these answer 503."""
    own_models = parts.site.settings.voice_models_path
    models = VoiceModels(load_engine, MODELS if own_models is None else Path(own_models))
    threads = AnalysisThreads()
    signatures = VocalSignatures(parts.store)
    memory = ReplayMemory(parts.keys.secret("voice-replay"))
    parts.registry.nodes.add_holder(signatures)
    checks = VoiceChecks(
        parts.store, parts.registry, parts.alarms, models, threads, signatures, memory, parts.site.settings
    )
    enrolments = VoiceEnrolments(parts.store, parts.registry, models, threads, signatures, memory)
    return Wired(
        services={"voice_checks": checks, "voice_enrolments": enrolments},
        lives=[Life(models.start, models.stop), Life(nothing, threads.stop)],
        sweeps=[memory.sweep],
        grant_holders=[signatures],
        personal_records=[signatures],
        gauges=[Gauge("voice_checks_running", "Recordings that are judged or wait for it.", lambda: threads.busy)],
    )


VOICE = Capability("voice", operations.OPERATIONS, wire)
