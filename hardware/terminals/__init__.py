"""Terminals: what their sensor's picture becomes, and what they show and send (specification parts 4.7 to 4.9).

`crease` makes 512 numbers of a picture, `projection` makes a renewable template of them, and `enrolment` makes one row
of several samples. `frame` carries templates to the service, `bundle` carries to the terminal what it needs, and
`bundle_ack` acknowledges that. `software` is the TRAINING terminal, with the palms of `synthetic_palms`. `keystone` is
the rotating code. No network, and nothing of the service. ``README.md`` describes the formats byte by byte.
"""
