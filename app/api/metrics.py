"""Counts of the API, and gauges that other parts register, written as OpenMetrics text."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the latency histogram, seconds."""

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

Gauge = Callable[[], float | Mapping[str, float]]
"""One number, or a number for each value of the label ``of``. Called on the event loop: it must be quick."""


class Metrics:
    """The registry of one service. Counting happens on the event loop only."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int], int] = {}
        self._histograms: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}
        self._refusals: dict[str, int] = {}
        self._rate_denials: dict[str, int] = {}
        self._gauges: dict[str, tuple[str, Gauge]] = {}

    def gauge(self, name: str, description: str, read: Gauge) -> None:
        """Register a gauge ``arc_<name>``; ``name`` is lower-case words with ``_``. A name is taken once."""
        if name in self._gauges or not name.replace("_", "").isalnum() or not name.islower():
            raise ValueError(f"bad or taken metric name: {name}")
        self._gauges[name] = (description, read)

    def request(self, operation: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        key = (operation, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        counts = self._histograms.get(operation)
        if counts is None:
            counts = self._histograms[operation] = [0] * (len(BUCKETS_S) + 1)
            self._sums[operation] = 0.0
        counts[bisect.bisect_left(BUCKETS_S, seconds)] += 1
        self._sums[operation] += seconds

    def count_refusal(self, code: str) -> None:
        """Count a request that the guard cut off before it had an operation."""
        self._refusals[code] = self._refusals.get(code, 0) + 1

    def rate_denied(self, rate: str) -> None:
        """Count a 429 of bucket class ``rate``."""
        self._rate_denials[rate] = self._rate_denials.get(rate, 0) + 1

    def text(self) -> str:
        """The exposition (OpenMetrics 1.0). A gauge that fails is left out, never drawn."""
        lines = ["# TYPE arc_requests counter", "# HELP arc_requests Answered requests."]
        lines += [
            f'arc_requests_total{{operation="{operation}",status="{status}"}} {count}'
            for (operation, status), count in sorted(self._requests.items())
        ]
        lines += ["# TYPE arc_request_seconds histogram", "# HELP arc_request_seconds Time from head to answer."]
        for operation, counts in sorted(self._histograms.items()):
            total = 0
            for bound, count in zip((*BUCKETS_S, "+Inf"), counts, strict=True):
                total += count
                lines.append(f'arc_request_seconds_bucket{{operation="{operation}",le="{bound}"}} {total}')
            lines.append(f'arc_request_seconds_count{{operation="{operation}"}} {total}')
            lines.append(f'arc_request_seconds_sum{{operation="{operation}"}} {self._sums[operation]:.6f}')
        lines += ["# TYPE arc_refused counter", "# HELP arc_refused Connections that the guard refused."]
        lines += [f'arc_refused_total{{code="{code}"}} {count}' for code, count in sorted(self._refusals.items())]
        lines += ["# TYPE arc_rate_denied counter", "# HELP arc_rate_denied Requests answered 429."]
        lines += [f'arc_rate_denied_total{{rate="{r}"}} {count}' for r, count in sorted(self._rate_denials.items())]
        for name, (description, read) in sorted(self._gauges.items()):
            try:
                value = read()
            except Exception:
                continue
            lines += [f"# TYPE arc_{name} gauge", f"# HELP arc_{name} {description}"]
            if isinstance(value, Mapping):
                lines += [f'arc_{name}{{of="{_label(of)}"}} {number}' for of, number in sorted(value.items())]
            else:
                lines.append(f"arc_{name} {value}")
        lines.append("# EOF")
        return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
