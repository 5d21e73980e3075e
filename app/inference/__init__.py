"""Networks in ONNX Runtime, as every capability that judges by one opens them."""
