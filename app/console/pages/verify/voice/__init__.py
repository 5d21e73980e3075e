"""The voice tab: whether a voice is that of the enrolled person, and whether a living one; and its enrolment."""
