"""How a source signs a call: what a signed test sends, by the scheme that the source is registered with.

Sources: standardwebhooks.com (specification 1.0), BambooHR's webhook documentation, RFC 6750, RFC 7617.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from app.capabilities.lifecycle.messages import HrCall
from app.console.language import tr
from app.registry.messages.hr_sources import HrScheme

TEST = HrCall(event="ARC_SIGNED_TEST", employee_id="nobody")
"""An event that no service acts on: it is answered as ignored, and stands in the inbox."""
SCHEMES: tuple[tuple[HrScheme, str], ...] = (
    ("standard-webhooks", "Standard Webhooks"),
    ("bamboohr", "BambooHR"),
    ("header", tr("Secret header")),
    ("basic", "HTTP Basic"),
)
SCHEME_HINTS: dict[HrScheme, str] = {
    "standard-webhooks": tr("HMAC-SHA256 over id, time and body. The best of the four: take it where HR offers it."),
    "bamboohr": tr("HMAC-SHA256 over body and time, in BambooHR's own two headers."),
    "header": tr(
        "The secret itself stands in Authorization. It proves nothing about the body: ask for client certificates too."
    ),
    "basic": tr("User and password. They prove nothing about the body: ask for client certificates too."),
}
_KEY_BYTES = 32


def new_secret(scheme: HrScheme) -> str:
    """A secret that nobody has seen, in the form that the scheme takes."""
    if scheme == "standard-webhooks":
        return f"whsec_{base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()}"
    drawn = secrets.token_urlsafe(_KEY_BYTES)
    return f"arc-hr:{drawn}" if scheme == "basic" else drawn


def signed_fields(scheme: HrScheme, secret: str, body: bytes, call_id: str, at_s: int) -> dict[str, str]:
    """The header fields of a call with these bytes. ``at_s``: Unix seconds. Raises ValueError if ``secret`` does
    not fit the scheme."""
    if scheme == "standard-webhooks":
        text = secret.removeprefix("whsec_").rstrip("=")
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        signature = hmac.digest(key, f"{call_id}.{at_s}.".encode() + body, hashlib.sha256)
        return {
            "webhook-id": call_id,
            "webhook-timestamp": str(at_s),
            "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
        }
    if scheme == "bamboohr":
        signed = hmac.digest(secret.encode(), body + str(at_s).encode(), hashlib.sha256)
        return {"X-BambooHR-Signature": signed.hex(), "X-BambooHR-Timestamp": str(at_s)}
    if not (secret.isascii() and secret.isprintable()):
        raise ValueError("a header takes printable ASCII only")
    given = f"Basic {base64.b64encode(secret.encode()).decode()}" if scheme == "basic" else f"Bearer {secret}"
    return {"Authorization": given, "webhook-id": call_id, "webhook-timestamp": str(at_s)}
