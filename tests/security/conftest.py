"""The served site of the API tests, attacked."""

from __future__ import annotations

from tests.service.api.conftest import fresh, shared

__all__ = ["fresh", "shared"]
