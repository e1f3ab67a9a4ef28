"""A GGUF file of a few hundred random weights, quantised as real ones are."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORDS = ["<s>", "</s>", "lamp", "è"]


def write_gguf(path: Path, architecture: str = "llama") -> dict[str, np.ndarray]:
    """A small quantised model file; returns the values that its tensors stand for."""
    import gguf

    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_block_count(1)
    writer.add_rope_freq_base(5000.0)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    writer.add_token_list(WORDS)
    writer.add_token_types([3, 3, 1, 1])
    writer.add_chat_template("{{ messages }}")
    meant = {}
    for name, kind in (("blk.0.attn_q.weight", "Q4_1"), ("token_embd.weight", "Q8_0")):
        quantised = gguf.GGMLQuantizationType[kind]
        raw = gguf.quantize(random.normal(size=(8, 64)).astype(np.float32), quantised)
        writer.add_tensor(name, raw, raw_dtype=quantised)
        meant[name] = gguf.dequantize(raw, quantised)
    meant["blk.0.attn_norm.weight"] = random.normal(size=64).astype(np.float32)
    writer.add_tensor("blk.0.attn_norm.weight", meant["blk.0.attn_norm.weight"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return meant
