"""Whether a voice is a living one: support vector machines on the statistics of ``analysis`` and a small network on its
bands, each trained on clones and calibrated to a likelihood ratio. numpy and onnxruntime alone."""
