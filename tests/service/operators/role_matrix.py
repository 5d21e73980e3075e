"""Which role may call which operation, as data: ``python -m tests.service.operators.role_matrix > roles.csv`` beside
this writes it anew from the operation table, for a person to read what a change of rows opens or closes."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from app.api.operation import Clearance
from app.api.roles import Role
from app.service.assembly import TABLE

FILE = Path(__file__).with_name("roles.csv")


def matrix() -> str:
    """A line for each operation, by name: ``yes`` under each role that may call it; ``open`` where nobody needs a
    key."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["operation", *Role])
    for row in sorted(TABLE, key=lambda row: row.name):
        word = "open" if row.clearance is Clearance.OPEN else "yes"
        lines.writerow([row.name, *(word if role in row.roles else "" for role in Role)])
    return text.getvalue()


if __name__ == "__main__":
    sys.stdout.write(matrix())
