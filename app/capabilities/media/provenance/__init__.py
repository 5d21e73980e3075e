"""What a media file says of its own past: content credentials (C2PA), EXIF, and how it was quantized.

All of it may be forged, but for a signature under a root that is trusted.
"""
