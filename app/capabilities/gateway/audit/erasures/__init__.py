"""Erasures: what the logs and the rows beside them say of a person, taken out with an approval."""
