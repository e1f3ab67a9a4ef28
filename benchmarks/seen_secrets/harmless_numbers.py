# ruff: noqa: RUF001
"""Harmless texts full of numbers, ids, hashes, dates and places; `render` explains the marks."""

NUMBER_TEXTS = r"""
%% order_number
Where is my order ‹order›? It was promised for ‹day›.
%%
Bestellnummer ‹order10›, Lieferung war für ‹day_de› angekündigt
%%
commande n° ‹order10› passée le ‹day_de›
%%
número de pedido: ‹order10›
%%
L'ordine ‹order10› risulta ancora in lavorazione
%%
zamówienie ‹order10› - kiedy dotrze?
%%
Ordernummer ‹order10›, ‹count› stuks
%%
注文番号 ‹order16› の配送状況を教えてください
%%
sipariş no ‹order10› hâlâ gelmedi
%%
order id 4‹order16›, not a card, it's what the confirmation says
%%
{"order_id": "‹order16›", "status": "shipped", "items": ‹count›}
%%
get_order(order_id="‹order›") -> {"state": "open", "total": ‹amount›}
%%
Invoice ‹invoice› dated ‹day› is paid, ticket ‹ticket› can be closed.
%%
SELECT id, total FROM orders WHERE id IN (‹big›, ‹big#2›, ‹phone_like›);
%%
case number: ‹phone_like› / reference ‹ticket›
%%
Vorgang ‹ticket›, Rechnung ‹invoice›, Lieferschein ‹big›
%%
purchase order ‹order10› replaces ‹order10#2›, delivery ‹day›
%% sku_and_barcode
SKU ‹sku› is out of stock, ‹sku#2› has ‹count› left
%%
ISBN ‹isbn›, 2nd edition
%%
EAN ‹ean›; shelf 14-B
%%
{"asin": "‹asin›", "gtin": "‹ean›", "price": ‹amount›}
%%
sku,qty,price
‹sku›,‹count›,‹amount›
‹sku#2›,‹count#2›,‹amount#2›
%%
Artikelnummer ‹sku› passt nicht zu EAN ‹ean›
%%
serial no. ‹sku›-‹big› printed under the ‹goods›
%%
part 0 986 4B‹count› 2‹count#2› replaces 0 986 4B1 117
%% tracking_number
DHL ‹tracking› left ‹city› at ‹clock›
%%
UPS tracking: ‹ups›
%%
Sendungsnummer ‹tracking› steht seit ‹day_de› auf "in Zustellung"
%%
https://track.carrier.example/parcel/‹tracking›?lang=en
%%
colis ‹tracking› livré à ‹clock›
%%
{"carrier": "postnl", "barcode": "3S‹phone_like›NL", "eta": "‹iso›"}
%%
container MSKU ‹big› on vessel Ever ‹city›, week ‹count›
%% uuid_and_trace
request_id=‹uuid› took ‹count›ms
%%
{"id": "‹uuid›", "parent": "‹uuid#2›", "type": "turn"}
%%
traceparent: 00-‹trace›-‹span›-01
%%
GET /v1/tasks/‹uuid›/events 200
%%
"tool_call_id": "‹call›", "name": "get_order"
%%
x-request-id: ‹request›
x-ratelimit-remaining: ‹count›
%%
run ‹uuid› closed after ‹count› turns
%%
{"user_id": "‹user_id›", "thread": "thread_‹stripe_id›", "run": "run_‹stripe_id#2›"}
%%
customer cus_‹stripe_id› has no subscription; price price_1Q‹stripe_id#2› is archived
%%
pod ‹slug›-‹pod› restarted ‹count› times
%%
etag: W/"‹md5›"
last-modified: Wed, 14 Oct 2026 10:15:00 GMT
%%
arn:aws:lambda:eu-central-1:‹aws_account›:function:‹slug›
%%
i-0‹hex7›b‹hex7#2›e in subnet-0‹hex7#3›, sg-0a1b‹hex7›
%%
projects/‹slug›-prod/locations/europe-west3/keyRings/main/cryptoKeys/orders
%% hash_and_digest
commit ‹sha1›
Merge: ‹hex7› ‹hex7#2›
%%
git checkout ‹hex7› && git cherry-pick ‹sha1›
%%
sha256:‹sha256› ‹slug›.tar.gz
%%
‹sha256›  dist/‹slug›-‹version›-py3-none-any.whl
%%
FROM python:3.12-slim@sha256:‹sha256›
%%
"integrity": "‹sri›",
"resolved": "https://registry.example.org/left-pad/-/left-pad-‹version›.tgz"
%%
github.com/pkg/errors v0.‹count›.1 ‹goh1›
%%
md5 ‹md5› does not match ‹md5#2›, download again
%%
index ‹hex7›..‹hex7#2› 100644
--- a/app.py
+++ b/app.py
%%
/assets/main.‹hex7›.js  /assets/vendor-‹span›.css
%%
docker pull registry.local/‹slug›@sha256:‹sha256›
Status: Image is up to date
%%
cache key: deps-linux-‹sha256›
%%
content_hash = "‹sha1›"  # of prompt version ‹version›
%%
{"lfs": "oid sha256:‹sha256›", "size": ‹big›}
%%
tx 0x‹sha256› confirmed in block ‹big›
%%
Git bisect: ‹sha1› is the first bad commit
%%
uses: actions/checkout@‹sha1› # v4
%% version
Upgraded httpx ‹version› -> ‹version#2›, pydantic ‹version›
%%
Chrome/‹version4› on Windows 10.0.19045
%%
"version": "‹version4›", "build": ‹build›
%%
firmware ‹version4› is older than ‹version4#2›
%%
pip install "torch==‹version›" --index-url https://wheels.example.org/cu124
%%
openssl ‹version›, libcurl ‹version#2›, schema 20260‹count›
%% date_and_time
The return window ends on ‹day›, ‹count› days after delivery.
%%
Termin am ‹day_de› um ‹clock› Uhr in ‹city›
%%
livraison prévue le ‹day_de› entre 8h et 12h
%%
La reserva es del 14/08/2026 al 21/08/2026
%%
created_at=‹iso› updated_at=‹iso#2›
%%
The company was founded on 12 March 1987 and went public in 2004.
%%
release date: 1994-05-23 (film), remastered ‹day›
%%
valid from ‹day_us› through ‹day_us#2›
%%
ts=‹epoch_ms› dur=‹count› seq=‹big›
%%
backup_‹compact›.tar.zst
%%
{"exp": ‹epoch›, "iat": ‹epoch#2›, "nbf": ‹epoch#2›}
%%
born in the USA is a song from 1984, released on 4 June
%%
cron: "15 3 * * 1-5" last run ‹iso›, next run ‹iso#2›
%%
wydanie z dnia ‹day_de›, obowiązuje od ‹day_de#2›
%%
納期は2026年‹count›月予定、受付は2026年3月12日
%%
copyright 1998-2026, revision 07/14
%% price_and_quantity
‹count› x ‹goods› at ‹amount› EUR = ‹amount#2› EUR, VAT 19 %
%%
Summe: 1.234.567,89 € (inkl. ‹amount_de› € MwSt.)
%%
total: $12,345,678.90, paid ‹percent› %
%%
latency p50=‹count›ms p99=‹count#2›ms, tokens=‹big›
%%
loss 0.‹big› lr 3e-05 step ‹big› grad_norm ‹percent›
%%
[‹float›, ‹float#2›, ‹float#3›]
%%
rows: ‹big› (‹percent›%), bytes: ‹phone_like›
%%
population ‹big›, area ‹percent› km², elevation ‹count› m
%%
score 4.‹count› of 5 from ‹big› ratings
%%
size 42, 180x200 cm, 1200 W, 230 V, 50 Hz
%%
Raum 4.12, Regal 17-03-22, Palette ‹big›
%% public_place
The Eiffel Tower is at 48.858370, 2.294481
%%
store ‹city›: {"lat": 52.520008, "lng": 13.404954}, opens ‹clock›
%%
Pick-up point 214, main station, 50.107149, 8.663785
%%
weather_at(place="Zürich HB", lat=47.378177, lon=8.540192) -> {"temp_c": ‹percent›}
%%
POINT(-73.985428 40.748817) -- Empire State Building
%%
Airport MUC 48°21'14"N 11°47'10"E, runway 08L
%%
bbox=5.866,47.270,15.042,55.058 (Germany)
%% private_and_documentation_address
connection refused: ‹lan_ip›:‹port›
%%
upstream ‹pod_ip›:8080 timed out after ‹count› s
%%
ping 127.0.0.1, then ‹lan_ip›, gateway 192.168.1.1
%%
example: curl http://‹doc_ip›/status
%%
{"host_ip": "‹pod_ip›", "pod_ip": "‹pod_ip#2›"}
%%
fe80::1 and ::1 are local; 2001:db8::8a2e:370:7334 is the documentation's
%%
resolver 1.1.1.1 8.8.8.8 valid=30s;
%%
10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 are private
%%
listen 0.0.0.0:‹port›; netmask 255.255.255.0
%%
broadcast ff:ff:ff:ff:ff:ff, multicast 01:00:5e:00:00:fb
%%
OID 1.3.6.1.4.1.311.21.‹count› in the certificate policy
%%
section 4.2.1.3 of the manual, table ‹version4›
%% phone_like
item 0170 ‹big› of the parts list
%%
epoch ‹epoch›, row ‹phone_like›, offset ‹phone_like#2›
%%
matrix 415 555 120 233 and 911 calls per day
%%
HRB 1765‹count›, Amtsgericht ‹city›, Umsatz 2026: 0221 Mio
%%
dial 112 in an emergency, 911 in the US
%%
for (let i = 0; i < 2147483647; i++) sum += 4294967296;
%%
RFC 2822, ISO 27001:2022, DIN 18040-2, EN 60335-1
%%
call me maybe, you have my number
%%
film 35-1234-7788 in archive box 20-44
%% card_like
order ref ‹bad_card_spaced› (that is our order id, not a card)
%%
stock batch ‹bad_card›, bin 14
%%
test data with a wrong check digit: ‹bad_card›
%%
meter reading 1234 5678 9012 on ‹day›
%%
voucher batch ‹order16›-‹count›
%%
snowflake id ‹bad_card›42, shard ‹count›
%%
{"message_id": "‹bad_card›", "parent_id": "‹order16›"}
%%
IBAN validator says the check digits of ‹bad_iban› are wrong, it is a typo example
%%
the formula =SUM(A1:A4111) gives 4,111,111,111
"""
