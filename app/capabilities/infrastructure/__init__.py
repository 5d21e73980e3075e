"""Infrastructure status (specification 4.11): peers probed by real mutual TLS handshakes."""
