"""What crosses the wire of ``/v1/registry/*``, by kind: bodies of PUT, and the rows that come back."""
