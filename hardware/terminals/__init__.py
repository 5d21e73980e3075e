"""Terminals: what their sensor's picture becomes, and what they show and send (specification parts 4.7 to 4.9).

`crease` makes 512 numbers of a picture, `rotation` makes a renewable template of them, `enrolment` makes one row of
several samples, `frame` carries templates to the service; `software` is the TRAINING terminal, with the palms that
`drawn` draws. `keystone` is the rotating code. No network, and nothing of the service.
"""
