"""Video of a media scan: decoding from memory, what one frame has to do with the next, and what that says."""
