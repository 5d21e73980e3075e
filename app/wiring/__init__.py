"""How a capability joins a site: what it is given (``parts``), and what it gives back (``wired``)."""
