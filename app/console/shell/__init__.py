"""The window around the pages: rail, top bar, status bar, palette, cheat sheet, toasts. Imports no page."""
