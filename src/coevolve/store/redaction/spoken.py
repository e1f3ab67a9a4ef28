"""Secrets in what people write: the words for a password in their languages, and what stands beside them."""

from __future__ import annotations

from coevolve.store.redaction.checks import made, phrase, random
from coevolve.store.redaction.rule import LINE, RedactionRule, literals, one_of, rule, words

_PASSWORDS = one_of(
    r"""
    pass~words? pass~codes? passphrases? pwd pw passwort passwört\w+ kennwort wlan-?passwort
    kundenpasswort zugangspasswort einmalpasswort zugangscode geheimzahl mot_de_passe mots_de_passe mdp
    code_secret contraseñas? contrasena parola_d['’]ordine senhas? palavra-passe wachtwoord\w* wachwoord
    toegangscode hasło hasła haslo kod_dostępu lösenord\w* passord\w* adgangskode\w* kodeord\w*
    salasana\w* tunnusluku şifre\w* parola\w* heslo hesla lozinka šifra jelsz\w+ parol\w+ парол\w+
    код_доступа κωδικ\w+ συνθηματικό mật_khẩu kata_sandi kata_laluan पासवर्ड كلمة_المرور كلمة_السر סיסמה
    הסיסמה
    """
)
_KEYS = one_of(
    r"""
    pass login log-in credentials? secret token combination api~keys? access~keys? secret~keys?
    private~keys? licen[cs]e~keys? product~keys? activation~keys? encryption~keys? account~keys?
    master~keys? admin~keys? security~keys? recovery~keys? wifi~key wi-fi~key the_keys? my_keys?
    your_keys? our_keys? new_keys? schlüssel zugangsdaten clé jeton identifiants? clave credenciales
    chiave credenziali chave credenciais sleutel inloggegevens klucz nyckel\w* nøkkel\w* nøgle\w* avain
    anahtar\w* klíč kľúč kulcs\w* ключ\w* токен\w*
    """
)
_VERBS = one_of(
    r"""
    is was are were to be as ist lautet war heißt heisst auf sind est était c['’]est sont es era son è
    e['’] erano é são luidt zijn jest brzmi było är er var on oli şu şudur olarak je este az yra ir это
    был такой є είναι là adalah ialah है هي היא
    """
)
_FILLER = r"(?:[ \t]+[\w.@/'’:-]{1,60}){0,6}?"
_QUOTES = "\"'`“”„«»‘’「」『』"
_OWN = rf"(?P<quote>[{_QUOTES}])?(?P<value>[^\s{_QUOTES}<>,;\\]{{4,200}}[^\s{_QUOTES}<>,;.:?)}}\]\\])"
_SIGNS = "@#$%^&*!?+=~"
_EAST = one_of(
    r"パスワード 暗証番号 パスフレーズ 合言葉 "
    r"APIキー アクセスキー キー 鍵 トークン 密码 密碼 口令 密钥 密鑰 令牌 "
    r"비밀번호 암호 키 토큰 รหัสผ่าน"
)
_BACK = one_of(
    "password passcode pin passphrase passwort kennwort mot_de_passe contraseña clave senha api~key token "
    "wachtwoord hasło"
)
_SEEDS = (
    "seed|mnemonic|recovery|secret[ _]phrase|wallet|wiederherstell|wörter|phrase|frase|semilla|シード|"
    "リカバリ|"
    "助记词|니모닉"
)
_WORD = r"(?:\d{1,2}[.):][ \t]*)?[a-z]{3,8}"

SPOKEN: tuple[RedactionRule, ...] = (
    rule(
        "PASSWORD",
        rf"(?i)(?:(?<![^\W_])|{LINE})(?:(?:{_PASSWORDS}|{_KEYS}){_FILLER}(?:[ \t]+(?:{_VERBS})[ \t:]{{1,3}}|"
        rf"[ \t]*(?:=>|->|→|[=:：])[ \t]*)|(?:{_PASSWORDS})[ \t]{{1,2}}|"
        rf"wi-?fi[^\n]{{0,40}}?\bkey[ \t]){_OWN}",
        *literals(f"{_PASSWORDS}|{_KEYS}|wifi|wi-fi"),
        words=(words(f"{_PASSWORDS}|{_KEYS}|wifi|wi-fi"),),
        telling=(rf"{words(f'{_PASSWORDS}|{_KEYS}|wifi|wi-fi')}.*\S[0-9{_SIGNS}_-]",),
        reach=1,
        group="value",
        check=made,
    ),
    rule(
        "PASSWORD",
        rf"(?i:{_EAST})[^\x00-\x7f]{{0,16}}[\s:=\"'`(]{{0,3}}(?P<value>[!#-&*-;=?-Z^_a-z~]{{5,200}})",
        words=(rf"(?i)(?:{_EAST})",),
        telling=(rf"(?i)(?:{_EAST})[^\x00-\x7f]*[\s:=\"'`(]*[!-~]{{5}}",),
        group="value",
        check=made,
    ),
    rule(  # "hunter2 is my password"
        "PASSWORD",
        r"(?<![^\s\"'`(])(?P<value>[^\s\"'`,;:<>()]{5,64})[\"'`]?[ \t]+"
        r"(?i:is|was|as|ist|als|est|comme|es|como|è|come|é)[ \t]+(?:\w+[ \t]+){0,3}?"
        rf"(?i:{_BACK})\b",
        words=(
            r"(?i)[0-9!@#$%^&*?_]\S*[ \t]+(?:is|was|as|ist|als|est|comme|es|como|è|come|é)"
            r"[ \t]+(?:\S+[ \t]+){0,3}"
            rf"(?:{_BACK})",
        ),
        group="value",
        check=made,
    ),
    rule(  # 'the passphrase "correct horse battery staple"'
        "PASSWORD",
        r"(?i:pass[ -]?phrases?|passwords?|passwort|mot de passe|contraseña|senha)\b"
        r"[^\n\"'“„«]{0,20}[\"']?[^\n\"'“„«]{0,4}[\"'“„«]"
        r"(?P<value>[^\W\d_]{3,12}(?:[ -][^\W\d_]{3,12}){3,7})\\*[\"'”“»]",
        words=(r"(?i)(?:pass|contrase|senha)[^\n]*[\"'“„«][^\W0-9_]+[ -][^\W0-9_]+[ -]",),
        group="value",
    ),
    rule("PASSWORD", r"WIFI:[^\n]{0,100}?;P:(?P<value>[^;\n]{4,100});", "wifi:", group="value"),
    rule(  # a wallet's words (BIP 39)
        "SEED",
        rf"(?i:{_SEEDS})[^\n]{{0,60}}?[\W_](?P<value>(?:{_WORD}[\s,]{{1,3}}){{11,23}}{_WORD})(?![a-z])",
        words=(rf"(?i)(?:{_SEEDS})",),
        telling=(r"(?:[a-z]{3,8}[\s,]{1,3}(?:\d{1,2}[.):][ \t]*)?){11}[a-z]{3}",),
        group="value",
        check=phrase,
    ),
    rule(  # what an authenticator is set up with (RFC 6238)
        "SEED",
        r"(?i:setup|totp|otp|authenticator|2fa|mfa|manual)[ _-]?(?i:secret|key|code|entry|seed)?\W{1,12}"
        r"(?P<value>(?:[A-Za-z2-7]{4}[ -]){3,15}[A-Za-z2-7]{4}|[A-Z2-7]{16,64})(?![A-Za-z0-9])",
        words=("(?i)(?:setup|totp|otp|authenticator|2fa|mfa|manual)",),
        telling=(r"[A-Z2-7]{16}|(?:[A-Za-z2-7]{4}[ -]){3}",),
        group="value",
        check=random("value"),
    ),
)
