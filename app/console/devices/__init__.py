"""The printer and the loudspeaker of this machine."""
