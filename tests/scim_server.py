"""The independent SCIM server ``scim2-server``, in a process of its own on loopback."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx

TOKEN = "scim-token-of-the-test"


class ScimServer:
    """Started by ``running``; what it holds is lost when it stops, as its storage is memory."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v2"

    @contextlib.contextmanager
    def running(self) -> Iterator[ScimServer]:
        """Serves inside the block."""
        command = [
            sys.executable,
            "-m",
            "scim2_server.testserver.cli",
            "--port",
            str(self.port),
            "--bearer-token",
            TOKEN,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        try:
            assert b"Serving" in process.stdout.readline()
            yield self
        finally:
            process.kill()
            process.wait(10)
            process.stdout.close()

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """What its administrator does."""
        answer = httpx.request(
            method, self.url + path, json=body, headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False
        )
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def user(self, name: str, external_id: str | None = None, *, active: bool = True) -> str:
        """A new user; its id."""
        body = {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
            "userName": name,
            "active": active,
            **({} if external_id is None else {"externalId": external_id}),
        }
        return str(self.call("POST", "/Users", body)["id"])

    def group(self, name: str, *members: str) -> str:
        """A new group; its id."""
        schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"]
        body = {"schemas": schemas, "displayName": name, "members": [{"value": member} for member in members]}
        return str(self.call("POST", "/Groups", body)["id"])
