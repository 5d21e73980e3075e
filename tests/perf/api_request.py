"""CPU of one API request (bearer, validation, JSON) against bare Starlette and msgspec on the same server.

Both applications are served by uvicorn's httptools protocol in a process of their own; the clients are raw sockets in
this process. Compared is the CPU time of the serving process, from its own ``process_time``, over the same requests.
Goal: at most 1.6 times. ``python -m tests.perf.api_request [requests]`` prints the ratio.
"""

from __future__ import annotations

import multiprocessing
import socket
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tests.perf.report import Row, run

GOAL = 1.6
CONNECTIONS = 8
ROUNDS = 7
REQUESTS = 4_000
BODY = b'{"node_id":"ARC-7F3K","count":3,"kind":"green","tags":["a","b"]}'


def _serve_ours(pipe: Connection, directory: str) -> None:
    """Our application with guard, key, rates, figures and request log."""
    import os

    from app.api.logs import RequestLog
    from tests.service.api.api_site import ApiSite

    site = ApiSite(Path(directory) / "site")
    with open(os.devnull, "w", encoding="utf-8") as sink:
        site.context.request_log = RequestLog(sink)
        with site.running():
            _answer(pipe, site.port, site.sovereign.key)
    site.close()


def _serve_bare(pipe: Connection, _directory: str) -> None:
    """Starlette with one route, msgspec for the body and the reply, and nothing else."""
    import threading

    import msgspec
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from tests.service.api.api_site import Echo, Echoed

    decoder = msgspec.json.Decoder(Echo)
    encode = msgspec.json.Encoder().encode

    async def echo(request: Request) -> Response:
        body = decoder.decode(await request.body())
        reply = Echoed(node_id=body.node_id, count=body.count, kind=body.kind, tags=body.tags, run=1, caller="bare")
        return Response(encode(reply), media_type="application/json")

    application = Starlette(routes=[Route("/v1/sample/echo", echo, methods=["POST"])])
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    server = uvicorn.Server(
        uvicorn.Config(application, http="httptools", loop="asyncio", ws="none", access_log=False, log_config=None)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    _answer(pipe, listener.getsockname()[1], "arc_sov_" + "0" * 38)
    server.should_exit = True
    thread.join()


def _answer(pipe: Connection, port: int, key: str) -> None:
    """Tell where the server is, then its CPU time each time the other side asks; None ends."""
    pipe.send((port, key))
    while pipe.recv() is not None:
        pipe.send(time.process_time())


def _drive(port: int, key: str, requests: int) -> None:
    """Send ``requests`` requests over a few kept connections, one in flight on each."""
    head = (
        f"POST /v1/sample/echo HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nAccept: */*\r\nUser-Agent: perf\r\nContent-Length: {len(BODY)}\r\n\r\n"
    ).encode()
    links = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    try:
        for link in links:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(requests // CONNECTIONS):
            for link in links:
                link.sendall(head + BODY)
            for link in links:
                data = b""
                while b"\r\n\r\n" not in data or not data.endswith(b"}"):
                    data += link.recv(65536)
                if not data.startswith(b"HTTP/1.1 200"):
                    raise RuntimeError(data[:200].decode("latin-1"))
    finally:
        for link in links:
            link.close()


def measure(requests: int = REQUESTS) -> Row:
    """Microseconds of CPU a request of both, and their ratio: the median over interleaved rounds."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as directory:
        sides = {}
        for name, target in (("ours", _serve_ours), ("bare", _serve_bare)):
            near, far = context.Pipe()
            process = context.Process(target=target, args=(far, directory))
            process.start()
            port, key = near.recv()
            sides[name] = (process, near, port, key)
        found: dict[str, list[float]] = {"ours": [], "bare": []}
        for turn in range(ROUNDS + 1):
            for name, (_, near, port, key) in sides.items():
                near.send("cpu")
                before = near.recv()
                _drive(port, key, requests)
                near.send("cpu")
                used = (near.recv() - before) / (requests // CONNECTIONS * CONNECTIONS) * 1e6
                if turn:  # the first round warms up
                    found[name].append(used)
        for process, near, _, _ in sides.values():
            near.send(None)
            process.join()
    ratios = [ours / bare for ours, bare in zip(found["ours"], found["bare"], strict=True)]
    ratio = statistics.median(ratios)
    return Row(
        "API request, CPU",
        "us",
        statistics.median(found["ours"]),
        statistics.median(found["bare"]),
        ratio,
        f"<= {GOAL}x",
        "bare Starlette + msgspec, same uvicorn",
        ratio <= GOAL,
    )


ROWS = (measure,)

if __name__ == "__main__":
    run(ROWS)
