"""What schemathesis sends where the body is no JSON; loaded by the program of test_openapi.py, not by pytest."""

import schemathesis
from hypothesis import strategies

schemathesis.openapi.media_type("application/ocsp-request", strategies.binary(max_size=200))
schemathesis.openapi.media_type("application/octet-stream", strategies.binary(max_size=200))
