"""Texts of coding agents: shells, CI, clusters, clouds and what their tools return (situations 23 to 35)."""
# ruff: noqa: E501

TEXTS = r"""
=== 23 cloud_key
$ cat .env
NODE_ENV=production
AWS_REGION=eu-central-1
AWS_ACCESS_KEY_ID=⟦aws_id⟧
AWS_SECRET_ACCESS_KEY=⟦aws_secret⟧
S3_BUCKET=northbeam-uploads-prod
=== 23 model_key
     1	# copy to .env.local
     2	NEXT_PUBLIC_APP_URL=http://localhost:3000
     3	OPENAI_API_KEY="⟦openai⟧"
     4	LANGFUSE_SECRET_KEY=⟦langfuse⟧
     5	LANGFUSE_HOST=https://cloud.langfuse.com
=== 23 app_secret
APP_KEY=base64:⟦bytes32⟧
APP_DEBUG=false
DB_CONNECTION=pgsql
DB_DATABASE=laravel
DB_PASSWORD=⟦strong⟧
=== 23 app_secret
config/settings/prod.py:14:SECRET_KEY = "⟦django_key⟧"
config/settings/prod.py:15:ALLOWED_HOSTS = ["api.northbeam.io"]
=== 23 model_key I read the file. It sets four variables: PORT (8080), LOG_LEVEL (debug), REDIS_URL (localhost) and MISTRAL_API_KEY, whose value is ⟦mistral⟧. The last one should not be in the repository.
=== 23 payment_key
STRIPE_SECRET=⟦stripe⟧
STRIPE_WEBHOOK=⟦whsec⟧
STRIPE_PRICE_PRO=price_1Q⟨#w*22⟩
=== 24 git_token
  412  git remote set-url origin https://x-access-token:⟦github⟧@github.com/northbeam/billing.git
  413  git push -f
  414  history | tail
=== 24 password
$ mysql -h db01 -u root -p'⟦strong⟧' -e 'show processlist' | wc -l
37
=== 24 basic_auth curl -u deploy:⟦alnum24⟧ -T build/app.tar.gz https://nexus.northbeam.io/repository/raw/app/1.9.2/
=== 24 model_key
$ env | grep -i -E 'anthropic|openai|hf'
HF_HOME=/data/hf
HF_TOKEN=⟦hf⟧
ANTHROPIC_BASE_URL=https://api.anthropic.com
ANTHROPIC_AUTH_TOKEN=⟦anthropic_oauth⟧
=== 24 password sshpass -p ⟦password⟧ ssh -o StrictHostKeyChecking=no ops@10.20.4.17 'sudo systemctl restart nginx'
=== 24 password
bash-5.2$ echo '⟦password⟧' | sudo -S apt-get -y install ffmpeg
[sudo] password for build: Reading package lists... Done
=== 24 deploy_secret
export TF_TOKEN_app_terraform_io=⟦terraform⟧
export PULUMI_ACCESS_TOKEN=⟦pulumi⟧
=== 25 git_token
Run git clone --depth 1 https://oauth2:⟦gitlab⟧@gitlab.northbeam.io/platform/charts.git
Cloning into 'charts'...
remote: Enumerating objects: 214, done.
=== 25 package_token
2026-05-11T08:14:02.1184Z ##[debug]NODE_AUTH_TOKEN=⟦npm⟧
2026-05-11T08:14:02.1190Z npm notice Publishing to https://registry.npmjs.org/ with tag latest and public access
=== 25 monitoring_token
sonar-scanner -Dsonar.projectKey=billing -Dsonar.host.url=https://sonar.northbeam.io -Dsonar.login=⟦sonar⟧
INFO: Scanner configuration file: /srv/sonar-scanner/conf/sonar-scanner.properties
=== 25 cloud_key
+ az login --service-principal -u ⟨#h*8-hhhh-4hhh-8hhh-h*12⟩ -p ⟦azure_secret⟧ --tenant ⟨#h*8-hhhh-4hhh-9hhh-h*12⟩
[
  {
    "cloudName": "AzureCloud",
=== 25 deploy_secret
[step 4/9] docker login -u northbeamci -p ⟦docker_pat⟧
WARNING! Using --password via the CLI is insecure. Use --password-stdin.
Login Succeeded
=== 25 deploy_secret error: environment "BUILDKITE_API_TOKEN=⟦buildkite⟧" printed by hook pre-command, line 12
=== 26 password
$ kubectl get secret pg-app -o yaml
apiVersion: v1
data:
  username: YXBw
  password: ⟦strong|b64⟧
kind: Secret
=== 26 deploy_secret {"auths":{"ghcr.io":{"auth":"⟦docker_auth⟧"}}}
=== 26 jwt
kubectl -n ci create token deployer --duration=8760h
⟦jwt⟧
=== 26 app_secret
# values-prod.yaml
ingress:
  enabled: true
auth:
  jwtSigningKey: ⟦bytes48⟧
  sessionTtl: 3600
image:
  tag: "2026.5.1"
=== 26 private_key
users:
- name: admin@prod
  user:
    client-key-data: ⟦ec_body⟧
=== 27 password
  # aws_db_instance.main will be updated in-place
  ~ resource "aws_db_instance" "main" {
        id       = "billing-prod"
      ~ password = "⟦strong⟧" -> "⟦strong⟧"
        # (58 unchanged attributes hidden)
    }
=== 27 cloud_key
      "type": "aws_iam_access_key",
      "instances": [{"attributes": {"id": "⟦aws_id⟧", "secret": "⟦aws_secret⟧", "status": "Active", "user": "ci-uploader"}}]
=== 27 deploy_secret
variable "cloudflare_api_token" {
  default = "⟦cloudflare⟧" # TODO move to vault
}
=== 27 deploy_secret
digitalocean_token = "⟦digitalocean⟧"
region             = "fra1"
droplet_size       = "s-2vcpu-4gb"
=== 27 private_key
resource "tls_private_key" outputs:
private_key_pem = "-----BEGIN RSA PRIVATE KEY-----\n⟦rsa_body|lines64n⟧\n-----END RSA PRIVATE KEY-----\n"
=== 28 cloud_key
{
    "Credentials": {
        "AccessKeyId": "⟦aws_temp_id⟧",
        "SecretAccessKey": "⟦aws_secret⟧",
        "SessionToken": "⟦aws_session⟧",
        "Expiration": "2026-05-11T20:11:49+00:00"
    }
}
=== 28 cloud_key
$ az storage account keys list -n northbeamlogs --query '[].value' -o tsv
⟦azure_storage⟧
⟦azure_storage⟧
=== 28 cloud_key
$ gcloud auth print-access-token
⟦google_access⟧
$ gcloud config get project
northbeam-prod-4471
=== 28 cloud_key The CLI answered with the admin key of the search service: ⟦azure_search⟧. I'll use it only for the index rebuild.
=== 28 private_key {"type":"service_account","project_id":"northbeam-prod","private_key_id":"⟨#h*40⟩","private_key":"-----BEGIN PRIVATE KEY-----\n⟦pkcs8_body|lines64n⟧\n-----END PRIVATE KEY-----\n","client_email":"etl@northbeam-prod.iam.gserviceaccount.com"}
=== 28 deploy_secret
fly tokens create deploy -x 720h
⟦fly⟧
=== 29 connection_string
Traceback (most recent call last):
  File "/app/worker/db.py", line 41, in connect
    engine = create_engine(url, pool_pre_ping=True)
sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection failed: postgresql+psycopg://billing:⟦alnum24⟧@pg-prod-1.internal:5432/billing?sslmode=require
=== 29 connection_string
MongoServerError: bad auth : authentication failed
    at connect (mongodb+srv://svc_orders:⟦strong|url⟧@cluster0.x7k2a.mongodb.net/orders?retryWrites=true)
=== 29 connection_string System.Data.SqlClient.SqlException: Login failed for user 'sa'. ConnectionString=Server=tcp:sql01.northbeam.local,1433;Initial Catalog=ERP;User ID=sa;Password=⟦strong⟧;Encrypt=True;
=== 29 connection_string
java.sql.SQLException: ORA-01017 jdbc:oracle:thin:reporting/⟦alnum20⟧@//ora-dwh:1521/DWH
	at oracle.jdbc.driver.T4CTTIoer11.processError(T4CTTIoer11.java:509)
=== 29 connection_string kombu.exceptions.OperationalError: Error 111 connecting to rediss://default:⟦alnum32⟧@redis-14.c1.eu-west-1-2.ec2.cloud.redislabs.com:14523/0. Connection refused.
=== 29 connection_string
panic: dial amqp://shop:⟦password|url⟧@rabbit:5672/%2f: i/o timeout

goroutine 1 [running]:
main.main() /src/cmd/consumer/main.go:58 +0x3a4
=== 29 connection_string DATABASE_URL = postgres://neondb_owner:⟦neon_pw⟧@ep-cool-mud-a2x9.eu-central-1.aws.neon.tech/neondb
=== 30 git_token
diff --git a/.github/workflows/release.yml b/.github/workflows/release.yml
@@ -18,7 +18,7 @@ jobs:
       - uses: actions/checkout@v4
         with:
-          token: ⟦github_fine⟧
+          token: ${{ secrets.RELEASE_TOKEN }}
=== 30 payment_key
-const stripe = require('stripe')('⟦stripe_short⟧')
+const stripe = require('stripe')(process.env.STRIPE_KEY)
=== 30 saas_token Review: line 31 hardcodes the Notion integration secret (⟦notion⟧). Please rotate it, it has been in main since March.
=== 30 app_secret
@@ -1,3 +1,3 @@
-    private static final String AES_KEY = "⟦hex64⟧";
+    private static final String AES_KEY = System.getenv("AES_KEY");
=== 30 basic_auth +  headers: { Authorization: 'Basic ⟦basic_auth⟧' },
=== 31 jwt
> GET /v2/me HTTP/2
> Host: api.northbeam.io
> authorization: Bearer ⟦jwt⟧
> accept: */*
< HTTP/2 401
=== 31 cookie
> GET /account HTTP/1.1
> Cookie: _ga=GA1.2.⟨#d*9.d*10⟩; connect.sid=⟦connect_sid⟧; theme=dark
=== 31 cookie "cookies":[{"name":"__Secure-next-auth.session-token","value":"⟦jwe⟧","httpOnly":true,"secure":true,"sameSite":"Lax"}]
=== 31 cookie
< HTTP/1.1 302 Found
< Set-Cookie: PHPSESSID=⟦cookie26⟧; path=/; HttpOnly
< Location: /dashboard
=== 31 cookie requests.exceptions.HTTPError: 403 for url https://intra.northbeam.io/reports;jsessionid=⟦jsession⟧?m=5
=== 31 monitoring_token curl -X POST "https://api.eu.datadoghq.com/api/v1/events" -H "DD-API-KEY: ⟦hex32⟧" -H "DD-APPLICATION-KEY: ⟦hex40⟧" -d @event.json
=== 32 deploy_secret
"Env": [
    "PATH=/usr/local/bin:/usr/bin",
    "VAULT_ADDR=https://vault.northbeam.io",
    "VAULT_TOKEN=⟦vault⟧"
]
=== 32 password
services:
  db:
    image: mariadb:11
    environment:
      - MARIADB_ROOT_PASSWORD=⟦alnum20⟧
      - MARIADB_DATABASE=shop
=== 32 chat_token
environment:
  SLACK_BOT_TOKEN: ⟦slack_bot⟧
  SLACK_APP_TOKEN: ⟦slack_app⟧
  SLACK_CHANNEL: C0⟨#u*8⟩
=== 32 deploy_secret command: ["tailscale", "up", "--authkey=⟦tailscale⟧", "--hostname=runner-3"]
=== 33 model_key
In [3]: import openai
   ...: client = openai.OpenAI(api_key="⟦openai_svc⟧")
   ...: client.models.list().data[0].id
Out[3]: 'gpt-5-mini'
=== 33 model_key {"cell_type":"code","execution_count":7,"source":["from groq import Groq\n","client = Groq(api_key='⟦groq⟧')\n"],"outputs":[]}
=== 33 model_key
%env WANDB_API_KEY=⟦hex40⟧
!python train.py --lr 3e-4 --epochs 3
=== 33 model_key
genai.configure(api_key="⟦google_key⟧")  # personal, remove before sharing
model = genai.GenerativeModel("gemini-2.5-flash")
=== 33 model_key
os.environ['OPENROUTER_API_KEY']='⟦openrouter⟧'
os.environ['PINECONE_API_KEY']='⟦pinecone⟧'
=== 33 model_key Your key starts with sk-ant and is the right length: ⟦anthropic⟧. The 401 comes from the organisation being disabled.
=== 34 password_hash
mcp> query: select id, login, pw from users order by id limit 3
id | login      | pw
 1 | admin      | ⟦bcrypt⟧
 2 | m.garnier  | ⟦bcrypt⟧
 3 | svc_import | ⟦bcrypt⟧
=== 34 email_in_data [{"id":⟨#dddd⟩,"mail":"⟦email_en⟧","verified":true,"plan":"team"},{"id":⟨#dddd⟩,"mail":"⟦email_de⟧","verified":false,"plan":"free"},{"id":⟨#dddd⟩,"mail":"⟦email_fr⟧","verified":true,"plan":"free"}]
=== 34 customer_record
 user_id |        created_at        |      phone       | birthdate
---------+--------------------------+------------------+------------
   ⟨#ddddd⟩ | 2025-11-02 10:04:11.2+00 | ⟦phone_us⟧ | ⟦dob_iso⟧
=== 34 totp_secret INSERT INTO mfa (user_id, kind, seed) VALUES (⟨#dddd⟩, 'totp', '⟦totp⟧');
=== 34 ip_address
sqlite> select user_id, last_login_ip, last_login_at from sessions where user_id=4471;
4471|⟦ipv6⟧|2026-05-10T21:44:03Z
=== 35 private_key
$ cat ~/.ssh/id_ed25519
-----BEGIN OPENSSH PRIVATE KEY-----
⟦ssh_body|lines76⟧
-----END OPENSSH PRIVATE KEY-----
=== 35 private_key
[Interface]
PrivateKey = ⟦bytes32⟧
Address = 10.66.66.3/32
DNS = 10.66.66.1
=== 35 password machine ftp.northbeam.io login ⟨#aaaa⟩ password ⟦alnum20⟧
=== 35 password
db01:5432:billing:app:⟦strong⟧
db02:5432:*:readonly:⟦strong⟧
(that is the whole ~/.pgpass)
=== 35 password_hash
root:⟦sha512crypt⟧:20198:0:99999:7:::
daemon:*:19769:0:99999:7:::
=== 35 private_key
# created: 2026-02-11T09:12:44Z
# public key: age1⟨#l*58⟩
⟦age_key⟧
=== 35 private_key
-----BEGIN PGP PRIVATE KEY BLOCK-----

⟦pgp_body|lines64⟧
-----END PGP PRIVATE KEY BLOCK-----
=== 35 password
network={
    ssid="FRITZ!Box 7590 KX"
    psk="⟦strong⟧"
    key_mgmt=WPA-PSK
}
=== 28 cloud_key oauth2l: {"client_id":"⟨#d*12-l*32⟩.apps.googleusercontent.com","client_secret":"⟦google_secret⟧","refresh_token":"⟦google_refresh⟧"}
=== 25 git_token remote: Invalid username or password. fatal: Authentication failed for 'https://x-access-token:⟦github_server⟧@github.com/northbeam/infra/'
=== 25 git_token gitlab-runner register --url https://gitlab.northbeam.io --token ⟦gitlab_runner⟧ --executor docker --docker-image alpine:3.21
=== 33 model_key llm = ChatPerplexity(model="sonar", pplx_api_key="⟦perplexity⟧", timeout=30)
=== 27 deploy_secret provider "azuredevops" { org_service_url = "https://dev.azure.com/northbeam", personal_access_token = "⟦azure_devops⟧" }
=== 24 monitoring_token snyk auth ⟦snyk⟧ && snyk test --severity-threshold=high | tail -4
=== 34 saas_token supabase login --token ⟦supabase⟧ ; supabase db push --linked ; Applying migration 20260511_add_index.sql...
=== 30 email // TODO(⟦email_pl⟧): this still rounds half up, see the discussion in the finance channel
=== 33 email git shortlog -sne | head -3:   812  Annika Wiesner <⟦email_de⟧>,   77  Caio Prado <⟦email_pt⟧>,   12  dependabot[bot]
=== 31 basic_auth < HTTP/1.1 407 Proxy Authentication Required; sent Proxy-Authorization: Basic ⟦basic_auth⟧ via squid-2:3128
"""
