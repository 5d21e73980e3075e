"""Palm verification at a terminal and palm enrolment (specification part 4.7)."""
