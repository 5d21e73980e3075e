"""What trains and measures the models of the voice check, from recordings of Debian's packages. No part of the product.

``fetch`` brings the recordings, ``generate`` makes clones of them, ``dataset`` the statistics of both under many
conditions, ``train`` the models of ``resources/voice``, and ``evaluate`` says how well they do on speakers, languages
and kinds of attack that they were not trained on.
"""
