"""Widgets that pages are made of. None of them knows a page or a session."""
