"""Passwords that a program is given on its command line."""

from __future__ import annotations

from coevolve.store.redaction.checks import given, made
from coevolve.store.redaction.rule import RedactionRule, rule

_FLAGS = (
    r"pass(?:word|wd|phrase)?|pwd|token|secret|api-?key|(?:access|account|storage|shared|master|primary|"
    r"encryption|license)-?key|"
    r"client-secret|credentials?"
)
_TO = r"[^\n|;&]{0,200}?[ \t]"  # what stands between a program and its option
_VALUE = r"\\{0,4}[\"']?(?P<value>[^\s\"'`|;&<>\\]{3,200})"
_BEFORE_ONE = "|".join(  # what stands directly before a password
    (
        r"sshpass[ \t]+-p[ \t]*",
        rf"(?:mysql\w*|mariadb\w*|mysql-\w+|mariadb-\w+|7za?|7zz|rar|unrar){_TO}-p(?=[^\s=-])",
        rf"redis-cli{_TO}-a[ \t]+",
        rf"(?:un)?zip{_TO}-P[ \t]*",
        rf"ldap\w+{_TO}-w[ \t]+",
        rf"ipmitool{_TO}-P[ \t]+",
        rf"(?:sqlcmd|bcp|isql){_TO}-P[ \t]*",
        rf"xfreerdp\w*{_TO}/p:",
        rf"(?:mongo\w*|cqlsh|cf|az){_TO}-p[ \t]+",
        rf"(?:docker|podman|helm|oc|nerdctl|skopeo|crane)[ \t](?:[^\n|;&]{{0,40}}[ \t])?login{_TO}-p[ \t]+",
        rf"openssl{_TO}-(?:k[ \t]+|pass(?:in|out)?[ \t]+[\"']?pass:)",
        r"htpasswd[ \t]+-(?=[a-z]{0,8}b)[a-z]{1,8}(?:[ \t]+\S+){2}[ \t]+",
        r"net[ \t]+user[ \t]+\S+[ \t]+(?=\S+[ \t]+/)",
        rf"net[ \t]+use{_TO}/user:\S+[ \t]+",
        r"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?",
        rf"(?:smbclient|rpcclient|smbmap|net[ \t]rpc){_TO}-U[ \t]*[\"']?[^\s%\"']{{1,80}}%",
        rf"(?:curl|wget|https?|xh){_TO}(?:-u|--user|-a|--auth|--proxy-user|-U)"
        rf"[ \t=]*[\"']?[^\s:\"']{{1,80}}:",
        r"chpasswd[ \t]*<<<[ \t]*[\"']?[^\s:\"']{1,64}:",
        r"rootpw[ \t]+(?:--plaintext[ \t]+)?",
    )
)
_PROGRAMS = (
    "sshpass|mysql|mariadb|7z|rar |redis-cli|zip |ldap|ipmitool|sqlcmd|bcp |isql|mongo|cqlsh|docker|podman|"
    "helm |oc |cf |"
    "nerdctl|skopeo|az |crane|openssl|htpasswd|smbclient|rpcclient|smbmap|net rpc|curl|wget|https? |xh "
)
_READERS = r"(?:sudo|chpasswd|passwd|cryptsetup|docker|podman|helm|gh|kinit|su)"

COMMANDS: tuple[RedactionRule, ...] = (
    rule(
        "PASSWORD",
        rf"(?<![A-Za-z0-9_-])--?(?:[\w-]{{0,40}}[-_])?(?i:{_FLAGS})=[ \t]*{_VALUE}",
        words=(rf"(?i)-(?:{_FLAGS})=",),
        group="value",
        check=given,
    ),
    rule(
        "PASSWORD",
        rf"(?<![A-Za-z0-9_-])--?(?:[\w-]{{0,40}}[-_])?(?i:{_FLAGS})[ \t]+{_VALUE}",
        words=(rf"(?i)-(?:{_FLAGS})[ \t]+[^\s]",),
        group="value",
        check=made,
    ),
    rule(
        "PASSWORD",
        rf"\b(?:{_BEFORE_ONE}){_VALUE}",
        words=(_PROGRAMS, r"xfreerdp|net[ \t]use|SecureString|chpasswd|rootpw"),
        telling=(
            rf"(?:{_PROGRAMS.replace(' ', '')})\w*[ \t](?:.*[ \t])?-(?:-user|-auth|-proxy-user|\w)",
            r"xfreerdp|net[ \t]+user?[ \t]|SecureString|chpasswd|rootpw",
        ),
        group="value",
        check=given,
    ),
    rule(
        "PASSWORD",
        r"\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?[\"']?(?:[^\s:\"'|]{1,64}:)?(?P<value>[^\s\"'`|:<>]{4,200})"
        r"[\"']?"
        rf"[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-\w+[ \t]+)*-S|(?:sudo[ \t]+)?{_READERS}\b)",
        words=("echo|printf",),
        telling=(rf"(?:echo|printf)\b.*\|[ \t]*{_READERS}\b",),
        group="value",
        check=given,
    ),
)
