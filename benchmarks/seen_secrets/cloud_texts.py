# ruff: noqa: E501, RUF001
"""Texts with cloud credentials, sessions, cookies, signed links and private keys; `render` explains the marks."""

CLOUD_TEXTS = r"""
%% aws_credential
[default]
aws_access_key_id = «aws_id»
aws_secret_access_key = «aws_secret»
region = eu-central-1
%%
$ aws configure
AWS Access Key ID [None]: «aws_id»
AWS Secret Access Key [None]: «aws_secret»
Default region name [None]: us-east-1
%%
{"AccessKey": {"UserName": "‹slug›-ci", "AccessKeyId": "«aws_id»", "Status": "Active", "SecretAccessKey": "«aws_secret»", "CreateDate": "‹iso›"}}
%%
{"Credentials":{"AccessKeyId":"«aws_temporary_id»","SecretAccessKey":"«aws_secret»","SessionToken":"«aws_session»","Expiration":"‹iso›"}}
%%
export AWS_ACCESS_KEY_ID=«aws_temporary_id»
export AWS_SECRET_ACCESS_KEY=«aws_secret»
export AWS_SESSION_TOKEN="«aws_session»"
%%
provider "aws" {
  region     = "eu-west-1"
  access_key = "«aws_id»"
  secret_key = "«aws_secret»"
}
%%
botocore.exceptions.ClientError: An error occurred (InvalidAccessKeyId) when calling the ListBuckets operation: The AWS Access Key Id «aws_id» does not exist in our records.
%%
s3 = boto3.client("s3", aws_access_key_id="«aws_id»", aws_secret_access_key="«aws_secret»", endpoint_url="https://s3.eu-central-1.wasabisys.com")
%%
Can you check the backup job? The IAM user is ‹slug›-backup, key «aws_id», secret «aws_secret», bucket ‹slug›-archive.
%%
"AWS_BEARER_TOKEN_BEDROCK": "«bedrock_key»",
"AWS_REGION": "us-west-2"
%% azure_credential
DefaultEndpointsProtocol=https;AccountName=‹slug›store;AccountKey=«azure_storage»;EndpointSuffix=core.windows.net
%%
AZURE_TENANT_ID=‹uuid›
AZURE_CLIENT_ID=‹uuid#2›
AZURE_CLIENT_SECRET=«azure_secret»
%%
Endpoint=sb://‹slug›-bus.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=«base64_key»
%%
HostName=‹slug›-hub.azure-devices.net;DeviceId=sensor-‹count›;SharedAccessKey=«base64_key»
%%
az login --service-principal -u ‹uuid› -p '«azure_secret»' --tenant ‹uuid#2›
%%
client = AzureOpenAI(azure_endpoint="https://‹slug›-swe.openai.azure.com", api_key="«azure_cognitive»", api_version="2025-04-01-preview")
%%
curl "https://‹slug›-swe.openai.azure.com/openai/deployments?api-version=2024-10-21" -H "api-key: «hex32»"
%%
{"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=fn‹count›;AccountKey=«azure_storage»", "FUNCTIONS_WORKER_RUNTIME": "python"}
%%
AccountEndpoint=https://‹slug›.documents.azure.com:443/;AccountKey=«azure_storage»;
%%
Application secret was created. Value: «azure_secret» Expires: ‹day› Secret ID: ‹uuid›
%% gcp_credential
{"type": "service_account", "project_id": "‹slug›-prod", "private_key_id": "‹sha1›", "private_key": "«pem_pkcs8~n»\n", "client_email": "‹slug›@‹slug›-prod.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token"}
%%
{"access_token":"«google_access»","expires_in":3599,"scope":"https://www.googleapis.com/auth/drive.readonly","token_type":"Bearer"}
%%
{"client_id":"‹aws_account›-v7k2.apps.googleusercontent.com","client_secret":"«google_client_secret»","refresh_token":"«google_refresh»","type":"authorized_user"}
%%
curl -H "Authorization: Bearer «google_access»" https://storage.googleapis.com/storage/v1/b?project=‹slug›-prod
%%
<script src="https://maps.googleapis.com/maps/api/js?key=«google_map_key»&callback=initMap" async></script>
%%
GOOGLE_CLIENT_SECRET='«google_client_secret»'
GOOGLE_REDIRECT=https://app.brotzeit-shop.de/oauth/callback
%%
grant_type=refresh_token&client_id=‹aws_account›-k1.apps.googleusercontent.com&client_secret=«google_client_secret»&refresh_token=«google_refresh»
%% code_host_token
remote: Support for password authentication was removed.
fatal: Authentication failed for 'https://‹slug›-bot:«ghp»@github.com/shop/‹slug›.git/'
%%
gh auth token
«gho»
%%
Run actions/checkout@v4
  env: GITHUB_TOKEN: «ghs»
%%
echo "machine github.com login ‹slug›-ci password «ghp»" > ~/.netrc
%% package_token
//registry.npmjs.org/:_authToken=«npm_token»
always-auth=true
%%
npm notice Publishing to https://registry.npmjs.org/ with tag latest
npm ERR! need auth NPM_TOKEN=«npm_token»
%%
{"auths": {"https://index.docker.io/v1/": {"auth": "«docker_auth»"}}}
%% jwt
Authorization: Bearer «jwt»
%%
{"access_token": "«jwt»", "token_type": "bearer", "expires_in": 3600, "refresh_token": "«opaque43»"}
%%
localStorage.setItem('id_token', '«jwt»');
%%
‹log› WARN gateway - token rejected (expired): «jwt» path=/v2/orders status=401
%%
wss://live.brotzeit-shop.de/socket?access_token=«jwt»&v=4
%%
My session in the app does not load. In the console I see token=«jwt» and then "401".
%%
auth_cookie=«jwt»; Path=/; Secure; HttpOnly; SameSite=Lax
%%
grpcurl -H 'authorization: bearer «jwt»' api.brotzeit-shop.de:443 orders.v1.Orders/Get
%% bearer_token
POST /v1/refunds HTTP/1.1
Host: api.brotzeit-shop.de
Authorization: Bearer «opaque43»
Content-Type: application/json
%%
{"headers": {"X-Auth-Token": "«hex64»", "Accept": "*/*"}, "url": "https://erp.nordwerk-it.de/api/stock"}
%%
curl --oauth2-bearer «opaque64» "imaps://mail.nordwerk-it.de/INBOX"
%%
http GET erp.nordwerk-it.de/api/v3/items "Authorization: Token «hex40»"
%%
Der Bot meldet sich mit dem Token «opaque32» am ERP an, bitte nicht weitergeben.
%%
opts.headers['X-CSRF-Token'] = "«base64_key»";
opts.headers['X-Session-Token'] = "«opaque64»";
%%
Tool call login returned {"session": {"sid": "«hex32»", "user": "‹slug›", "ttl": ‹count›}}
%%
"refresh_token":"«microsoft_refresh»","scope":"Mail.Read offline_access"
%%
internal token for the warehouse api is «uuid_token», header name X-Warehouse-Token
%% basic_auth
Authorization: Basic «basic_auth»
%%
> GET /export.csv HTTP/1.1
> Host: edi.nordwerk-it.de
> Authorization: Basic «basic_auth»
> User-Agent: curl/8.5.0
%%
headers = {"Authorization": "Basic «basic_auth»"}
resp = httpx.get(url, headers=headers, timeout=20)
%%
proxy-authorization: basic «basic_auth»
via: 1.1 squid
%%
.dockerconfigjson: {"auths":{"registry.nordwerk-it.de":{"username":"pull","auth":"«docker_auth»"}}}
%% session_cookie
Cookie: sessionid=«django_session»; csrftoken=«opaque32»; theme=dark
%%
set-cookie: connect.sid=«connect_sid»; Path=/; HttpOnly
set-cookie: lang=de; Path=/
%%
curl 'https://my.brotzeit-shop.de/account' -b 'PHPSESSID=«php_session»; consent=all' --compressed
%%
driver.add_cookie({"name": "auth_session", "value": "«hex64»", "domain": ".brotzeit-shop.de", "secure": True})
%%
[{"name":"JSESSIONID","value":"«hex32»","domain":"erp.nordwerk-it.de","path":"/","httpOnly":true},{"name":"lang","value":"nl"}]
%%
.brotzeit-shop.de	TRUE	/	TRUE	‹epoch›	remember_token	«opaque64»
%%
"cookies": "_ga=GA1.2.1873.1766; laravel_session=«opaque43»; XSRF-TOKEN=«opaque64»"
%%
document.cookie = "wordpress_logged_in=«opaque64»; path=/"
%% signed_url
https://‹slug›-uploads.s3.eu-central-1.amazonaws.com/returns/‹uuid›.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=«aws_temporary_id»%2F20261014%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20261014T101500Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=«snapshot_sig»
%%
Label as PDF: https://‹slug›store.blob.core.windows.net/labels/‹order›.pdf?sv=2024-11-04&st=2026-05-02&se=2026-05-09&sr=b&sp=r&sig=«sas_signature»
%%
{"download_url": "https://storage.googleapis.com/‹slug›-exports/‹day›.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=900&X-Goog-Signature=«snapshot_sig»"}
%%
wget "https://cdn.brotzeit-shop.de/video/‹nano›.mp4?Expires=‹epoch›&Signature=«cloudfront_sig»&Key-Pair-Id=K2XQ5B7WZP0LTA"
%%
![scan](https://files.brotzeit-shop.de/scan.png?token=«opaque43»&expires=‹epoch›)
%%
azcopy copy "./dump" "https://‹slug›store.file.core.windows.net/share?sp=rwl&sig=«sas_signature»&sv=2024-11-04" --recursive
%%
Webhook to Teams: https://prod-28.westeurope.logic.azure.com/workflows/‹md5›/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers&sv=1.0&sig=«teams_sig»
%% reset_link
We received a request to reset your password. Open https://my.brotzeit-shop.de/reset?token=«magic» within 30 minutes.
%%
Hier der Link aus der Mail, er geht nicht: https://konto.brotzeit-shop.de/passwort/neu/«magic»?lang=de
%%
<a href="https://app.nordwerk-it.de/magic-login?code=«magic»&amp;next=%2Finbox">Sign in</a>
%%
Cliquez ici pour confirmer votre compte : https://compte.studio-lagarde.fr/activer?jeton=«magic»
%%
einladung: https://chat.nordwerk-it.de/invite/accept?invite_token=«magic»
%% webhook_url
SLACK_WEBHOOK=https://hooks.slack.com/services/«slack_hook»
%%
curl -X POST -H 'Content-type: application/json' --data '{"text":"deploy ‹version› done"}' https://hooks.slack.com/services/«slack_hook»
%%
{"channel": "alerts", "webhook": "https://discord.com/api/webhooks/«discord_hook»", "mention": false}
%%
receivers:
  - name: ops
    slack_configs:
      - api_url: 'https://hooks.slack.com/services/«slack_hook»'
        channel: '#ops'
%%
poste ça sur notre discord stp : https://discordapp.com/api/webhooks/«discord_hook»
%% private_key
«pem_rsa»
%%
$ cat ~/.ssh/id_ed25519
«pem_openssh»
%%
{"host": "bastion.nordwerk-it.de", "user": "deploy", "private_key": "«pem_openssh~n»\n"}
%%
tls.crt: |
  (unchanged)
tls.key: "«pem_pkcs8~n»\n"
%%
JWT_PRIVATE_KEY="«pem_ec~n»"
JWT_ALG=ES256
%%
PRIVATE_KEY = '''«pem_ed25519»'''
%%
Here is the key for the SFTP box, they said you need it:
«pem_rsa»
Host is sftp.nordwerk-it.de, port 2222.
%%
client-key-data: «kubeconfig_key»
%%
gpg --export-secret-keys --armor release > key.asc
«pem_pgp»
%%
PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: deploy
Private-Lines: 1
«base64_key»
Private-MAC: ‹sha256›
%%
{"kty": "OKP", "crv": "Ed25519", "kid": "‹span›", "d": "«teams_sig»", "x": "‹nano›‹nano#2›k"}
%% vpn_key
[Interface]
PrivateKey = «wireguard»
Address = 10.8.0.‹count›/32
[Peer]
PublicKey = ‹wg_public›
AllowedIPs = 0.0.0.0/0
PresharedKey = «base64_key»
%%
# created: ‹iso›
# public key: see repo
«age_key»
%%
$ wg genkey | tee privatekey
«wireguard»
%%
SOPS_AGE_KEY=«age_key»
%% app_secret
SECRET_KEY = 'django-insecure-«django_key»'
DEBUG = False
%%
secret_key_base: «hex64»
%%
APP_KEY=base64:«base64_key»
%%
"Jwt": { "Issuer": "brotzeit", "SigningKey": "«opaque64»", "ExpireMinutes": ‹count› }
%%
ENCRYPTION_KEY=«hex64»
NEXTAUTH_SECRET=«base64_key»
%%
webhook signing secret from the partner portal: «opaque43»
%%
client_id: ‹uuid›
client_secret: «opaque43»
grant_type: client_credentials
"""
