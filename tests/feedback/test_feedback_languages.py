"""Languages are guessed where a text tells, and unknown where it does not."""

from __future__ import annotations

import pytest

from coevolve.feedback.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is my order 17? I have not received it.", "English"),
        ("Wo ist mein Paket? Ich habe es nicht bekommen.", "German"),
        ("Où est mon colis ? Je ne l'ai pas reçu.", "French"),
        ("¿Dónde está mi pedido? No lo he recibido con el correo.", "Spanish"),
        ("Dove è il mio pacco? Non ho ricevuto la merce.", "Italian"),
        ("Onde está o meu pedido? Eu não recebi.", "Portuguese"),
        ("Waar is mijn pakket? Ik heb het niet gekregen.", "Dutch"),
        ("Где мой заказ 17?", "Cyrillic"),
        ("我的订单在哪里", "Chinese"),
        ("私の注文はどこですか", "Japanese"),
        ("제 주문은 어디에 있나요?", "Korean"),
        ("أين طلبي؟", "Arabic"),
        ("Order 17", None),
        ("", None),
    ],
)
def test_a_language_is_told_by_script_and_common_words_or_stays_unknown(
    text: str, language: str | None
) -> None:
    assert language_of(text) == language
