"""The bounds of a request for a second person, and the roles of each kind."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from app.api.roles import Role
from app.approvals.messages import KIND_ROLES, ApprovalBody, ApprovalKind

BODY = {"kind": "erase", "reason": "because"}
MOST = 20_001


def test_the_longest_list_is_taken() -> None:
    """An erasure names a node and as many entries as one erasure may; one more is refused."""
    assert len(msgspec.convert({**BODY, "subjects": ["x"] * MOST}, ApprovalBody).subjects) == MOST
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**BODY, "subjects": ["x"] * (MOST + 1)}, ApprovalBody)


def test_a_subject_has_its_bounds() -> None:
    """1 to 80 characters."""
    for good in ("x", "x" * 80):
        assert msgspec.convert({**BODY, "subjects": [good]}, ApprovalBody).subjects == [good]
    for bad in ("", "x" * 81):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**BODY, "subjects": [bad]}, ApprovalBody)


def test_each_kind_has_its_roles() -> None:
    """An administrator decides about every kind; who else does is written here, too."""
    assert set(KIND_ROLES) == set(get_args(ApprovalKind))
    assert {kind: sorted(roles - {Role.ADMIN}) for kind, roles in KIND_ROLES.items()} == {
        "mass_burn": ["desk"],
        "lift": ["desk"],
        "reissue": ["badge"],
        "pin_reset": ["badge"],
        "erase": ["auditor"],
        "citadel_key": [],
        "operator": [],
    }
    assert all(Role.ADMIN in roles for roles in KIND_ROLES.values())
