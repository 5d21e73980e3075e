"""The manager's report over a span of time: what the service has on record, on paper, and a bundle that proves what the
log can prove of it.

``facts`` reads, ``paper`` draws, ``dialog`` asks for the span and saves.
"""
