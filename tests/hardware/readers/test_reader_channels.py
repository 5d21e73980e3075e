"""Byte channels."""

from __future__ import annotations

import os
import pty
import socket
import time
import tty
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.readers.channels import Channel, MemoryChannel, SerialChannel, TcpChannel, check_uri, open_channel


def until(done: Callable[[], bool]) -> None:
    """Ask until `done()`; bounded, so that a fault fails instead of hanging."""
    end = time.monotonic() + 10
    while not done():
        if time.monotonic() > end:
            raise AssertionError("it never happened")
        time.sleep(0.001)


def read_all(channel: Channel, count: int) -> bytes:
    """Read until `count` bytes are there."""
    data = bytearray()

    def enough() -> bool:
        data.extend(channel.read(64))
        return len(data) >= count

    until(enough)
    return bytes(data)


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=20), st.integers(1, 60))
def test_memory_channel_keeps_bytes_and_order(chunks: list[bytes], size: int) -> None:
    """What is written at one end is read at the other, however it is cut up."""
    one, other = MemoryChannel.pair()
    for chunk in chunks:
        assert one.write(chunk) == len(chunk)
    got = b""
    while part := other.read(size):
        assert len(part) <= size
        got += part
    assert got == b"".join(chunks)


def test_cut_memory_channel_loses_bytes_silently() -> None:
    """An unplugged line takes bytes and delivers none, like a wire would."""
    one, other = MemoryChannel.pair()
    other.cut = True
    assert one.write(b"x") == 1
    assert other.read(10) == b""


def test_broken_channel_refuses_writes() -> None:
    """The panel ends the library's retries by failing its writes."""
    one, _ = MemoryChannel.pair()
    one.broken = True
    assert one.write(b"x") == -1


def test_channels_have_ids_of_their_own() -> None:
    """libosdp takes equal ids for one shared line."""
    ids = [end.id for _ in range(10) for end in MemoryChannel.pair()]
    assert len(set(ids)) == 20


def test_tcp_channel_carries_bytes_and_reconnects() -> None:
    """Bytes go both ways; after a hang-up the next connection works."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        channel = TcpChannel("127.0.0.1", server.getsockname()[1])
        until(channel.ready)
        peer, _ = server.accept()
        with peer:
            assert channel.write(b"poll") == 4
            assert peer.recv(10) == b"poll"
            peer.sendall(b"ack")
            assert read_all(channel, 3) == b"ack"
        until(lambda: channel.read(10) == b"" and channel.write(b"x") == -1)
        until(channel.ready)
        peer, _ = server.accept()
        with peer:
            assert channel.write(b"again") == 5
            assert peer.recv(10) == b"again"
        channel.close()


def test_tcp_channel_without_a_server_is_not_ready() -> None:
    """A refused connection is no error, just no line."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    channel = TcpChannel("127.0.0.1", port)
    assert [channel.ready() for _ in range(1000)][-1] is False
    assert channel.write(b"x") == -1


def test_serial_channel_is_raw() -> None:
    """Control characters and newlines pass untouched, both ways."""
    master, slave = pty.openpty()
    tty.setraw(master)
    every = bytes(range(256))
    channel = SerialChannel(os.ttyname(slave), 9600)
    try:
        assert channel.ready()
        assert channel.read(10) == b""
        os.write(master, every)
        assert read_all(channel, 256) == every
        assert channel.write(every) == 256
        assert os.read(master, 512) == every
    finally:
        channel.close()
        os.close(slave)
        os.close(master)


def test_serial_device_that_is_missing_is_not_ready() -> None:
    """An adapter that is pulled out is no error, just no line."""
    assert not SerialChannel("/dev/serial/by-id/nothing-here", 9600).ready()


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "udp://127.0.0.1:1",
        "serial:",
        "tcp://127.0.0.1",
        "tcp://reader.example:9",
        "tcp://127.0.0.1:9/x",
        "simulated:pty",
    ],
)
def test_wrong_uri_is_refused(uri: str) -> None:
    """A channel that could never work is refused when it is registered."""
    with pytest.raises(ValueError, match=r"channel|serial|TCP|simulated"):
        check_uri(uri)


def test_impossible_speed_is_refused() -> None:
    """Only speeds that the system's serial lines know."""
    with pytest.raises(ValueError, match="speed"):
        open_channel("serial:/dev/ttyS0", 12345)
