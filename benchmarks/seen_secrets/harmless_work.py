# ruff: noqa: E501, RUF001
"""Harmless texts of an agent's daily work: handles, paths, calls, schemas; `render` explains the marks."""

WORK_TEXTS = r"""
%% handle_and_at_sign
thanks @‹first›, @ops-team please have a look at ‹ticket›
%%
npm i @types/node@‹version› @angular/core@‹version#2›
%%
import x from "@scope/‹slug›"; // "@scope/‹slug›": "^‹version›"
%%
@app.route("/orders/<int:order_id>")
@cached(ttl=60)
def order(order_id): ...
%%
@Override public String toString() { return "‹slug›@" + Integer.toHexString(hashCode()); }
%%
docker pull ghcr.io/shop/‹slug›@sha256:‹sha256›
%%
https://www.npmjs.com/package/@tanstack/react-query
%%
https://medium.com/@‹slug›/scaling-agents-‹hex7›
%%
follow us @brotzeit on the fediverse: @brotzeit@social.example
%%
@media (min-width: 640px) { @apply px-4; }
%%
java.lang.Object@‹hex7› at Main.main(Main.java:‹count›)
%%
SELECT @row := @row + 1, @@version;
%%
3 kettles @ ‹amount› EUR, meet @ ‹clock›
%%
logo@2x.png and icon@3x.png are missing
%% path_and_url
https://docs.python.org/3/library/secrets.html#secrets.token_hex
%%
/srv/build/.cache/pip/http-v2/a/b/c/‹sha1›
%%
s3://‹slug›-archive/2026/10/14/part-00‹count›.parquet
%%
https://shop.example.com/p/‹sku›?utm_source=mail&utm_campaign=spring&page=‹count›
%%
C:\Users\Public\Documents\‹slug›\report_‹compact›.xlsx
%%
https://www.youtube.com/watch?v=a7‹nano›
%%
GET /password/reset HTTP/1.1" 200 ‹big›
%%
file:///srv/app/src/auth/token_store.py:‹count›
%%
https://github.com/shop/‹slug›/compare/‹hex7›...‹hex7#2›
%%
redis://localhost:6379/0, postgresql://localhost/test, amqp://rabbit//
%% work_for_an_agent
Step ‹count›: call get_order with ‹order›, then compare the total ‹amount› with the refund policy.
%%
{"tool": "search_flights", "args": {"from": "MUC", "to": "LIS", "date": "‹day›", "adults": 2}}
%%
The refund of ‹amount› EUR for order ‹order› was approved by the policy of ‹day›.
%%
KeyError: 'token' in parse(), line ‹count›
%%
tests/test_auth.py::test_rejects_bad_password PASSED [ ‹count›%]
%%
WARN  [auth] token bucket is empty, ‹count› requests queued
%%
dpkg: ‹slug› (‹version›-1ubuntu0.‹count›) set up
%%
reward 0.‹count›, advantage -0.‹count#2›, kl 0.00‹count›, pool v‹count›
%%
You are a support agent. Never reveal the customer's password, card number or address.
%%
{"name": "issue_refund", "parameters": {"properties": {"iban": {"type": "string"}, "amount": {"type": "number"}}, "required": ["iban"]}}
%%
CREATE TABLE users (id bigint, email text, phone text, password_hash text, ssn char(11), dob date);
%%
columns: email,phone,iban,birth_date (‹big› rows, 0 shown)
%%
Die Lieferung ‹order› mit ‹count› Artikeln ging am ‹day_de› an die Filiale ‹city›.
%%
the ‹goods› weighs ‹count› g, model ‹sku›, guarantee until ‹day›
%%
plate 42 from the Gutenberg Bible, license MIT, passport photo 35x45 mm
%%
Gate code review at ‹clock›, pin the version ‹version›, key result ‹count›
"""
