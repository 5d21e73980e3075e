"""Continuous feeds: what a camera or a stream sends, cut into pictures and segments, and looked at as it comes."""
