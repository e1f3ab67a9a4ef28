"""A guess at a text's language: a text enters, a name leaves, or None.

By the script, and among Latin ones by the words that every sentence of a language is full of. It is for
comparing groups of many texts: a short text, or one in a language that is not listed, stays unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_SCRIPTS = {
    "HIRAGANA": "Japanese",  # Japanese has Chinese characters as well, so it is asked for first
    "KATAKANA": "Japanese",
    "CJK": "Chinese",
    "HANGUL": "Korean",
    "CYRILLIC": "Cyrillic",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "GREEK": "Greek",
    "DEVANAGARI": "Hindi",
    "THAI": "Thai",
}
_WORDS = {
    "English": "the is my i to and of a it you for what can please not have do where was this in on",
    "German": "der die das ist mein ich und zu nicht ein eine sie es wie bitte habe mit wo auf für von kann",
    "French": "le la les est mon ma je et de ne pas un une vous il pour où que des avec du en sur bonjour",
    "Spanish": "el la los es mi yo y de no un una usted para dónde qué con del en por se puedo está hola",
    "Italian": "il la gli è mio mia io e di non un una lei per dove che con del in si posso ho sono ciao",
    "Portuguese": "o a os é meu minha eu e de não um uma você para onde que com do em por posso está olá",
    "Dutch": "de het een is mijn ik en van niet u je waar dat met op voor kan heb te naar er wat",
}
_STOP = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_LEAST = 2  # known words by which a language is told


def language_of(text: str) -> str | None:
    """The language, or the script where it is that of several; None where nothing tells."""
    letters = [character for character in text if character.isalpha()]
    scripts = Counter(unicodedata.name(character, "").partition(" ")[0] for character in letters)
    for script, language in _SCRIPTS.items():
        if scripts[script] > len(letters) * (0.1 if language == "Japanese" else 0.5):
            return language
    words = re.findall(r"[^\W\d_]+", text.casefold())
    counts = Counter({language: sum(word in stop for word in words) for language, stop in _STOP.items()})
    (first, most), (_, second) = counts.most_common(2)
    return first if most >= _LEAST and most > second else None
