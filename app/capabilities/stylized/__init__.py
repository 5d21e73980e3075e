"""The 512-point stylized template: match and enrolment (specification part 4.8)."""
