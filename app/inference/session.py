"""Opens a network of the program's own resources in ONNX Runtime, on one thread."""

from __future__ import annotations

import os

# Before the library is loaded: its wheels would note each use in a file of the user and tell their maker of it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime


def open_session(model: bytes) -> onnxruntime.InferenceSession:
    """A session of an ONNX file that is in memory: after this no file is opened and no thread begun. Raises
    ``ValueError`` for what ONNX Runtime does not read."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # What an arena keeps for its next run would hold the last speaker's bands, and the memory of the largest image so
    # far would count against every later one.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common class of their own
        raise ValueError(f"no network that ONNX Runtime reads: {error}") from error
