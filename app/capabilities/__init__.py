"""The capabilities, one package each, in the specification's words. None imports another."""
