"""Texts of coding agents that look as if they held something to hide, and do not (situations 23 to 33)."""
# ruff: noqa: E501

TEXTS = r"""
=== 23 placeholder
# .env.example
DATABASE_URL=postgres://user:password@localhost:5432/app
STRIPE_SECRET_KEY=sk_test_your_key_here
JWT_SECRET=change-me-in-production
=== 23 placeholder
AWS_ACCESS_KEY_ID=<your-access-key-id>
AWS_SECRET_ACCESS_KEY=<your-secret-access-key>
AWS_REGION=eu-west-⟨#D⟩
=== 23 masked_value
$ cat .env | sed 's/=.*/=***/'
OPENAI_API_KEY=***
GITHUB_TOKEN=***
PORT=***
=== 23 code_by_variable
OPENAI_API_KEY=${OPENAI_API_KEY:?set it in your shell}
DB_PASSWORD=${DB_PASSWORD}
COMPOSE_PROJECT_NAME=app_⟨#dddd⟩
=== 24 code_by_variable
export GH_TOKEN="$(gh auth token)"
export PGPASSWORD="$(pass show db/billing)"
psql -h db0⟨#D⟩ -U app -c 'select count(*) from orders'
=== 24 code_by_variable read -s -p "Password: " DB_PASS && mysql -u root -p"$DB_PASS" -e "show databases"
=== 24 hash
$ sha256sum dist/app-⟨#d.dd.d⟩.tar.gz
⟨#h*64⟩  dist/app.tar.gz
=== 24 hash
$ git log --oneline -3
⟨#h*7⟩ Fix token refresh race
⟨#h*7⟩ Bump axios to 1.⟨#d.d⟩
⟨#h*7⟩ Remove secret scanning false positives
=== 24 hash
commit ⟨#h*40⟩
Merge: ⟨#h*9⟩ ⟨#h*9⟩
Date:   Mon May 11 08:02:13 2026 +0200

    Merge branch 'rotate-keys'
=== 24 private_ip
$ ip -4 a | grep inet
    inet 127.0.0.1/8 scope host lo
    inet 192.168.178.⟨#Dd⟩/24 brd 192.168.178.255 scope global eth0
=== 24 version
$ openssl version && node -v && python3 -V
OpenSSL 3.0.⟨#1d⟩ 11 Feb 2026
v22.⟨#1d.d⟩
Python 3.12.⟨#d⟩
=== 25 log_id
Run actions/checkout@v4
  with:
    repository: northbeam/billing
    token: ***
    ssh-strict: true
Fetching ref ⟨#h*40⟩
=== 25 log_id
##[group]Run actions/cache@v4
Cache restored from key: Linux-npm-⟨#h*64⟩
Cache Size: ~⟨#dd⟩ MB (⟨#Dd*7⟩ B)
=== 25 decorator
pip install "uvicorn[standard]==0.34.⟨#d⟩" && pytest -q -k "not slow"
tests/test_auth.py::test_password_reset_token_expires PASSED
tests/test_auth.py::test_api_key_is_hashed PASSED
=== 25 masked_value
$ echo "token is [MASKED]"
token is [MASKED]
Job succeeded in 00:0⟨#d⟩:⟨#3d⟩
=== 25 hash
#12 exporting to image
#12 writing image sha256:⟨#h*64⟩ done
#12 naming to ghcr.io/northbeam/worker:pr-⟨#dddd⟩ done
=== 25 code_by_variable
env:
  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}
  SENTRY_AUTH_TOKEN: ${{ secrets.SENTRY_AUTH_TOKEN }}
  BUILD: ${{ github.run_id }}
=== 26 code_by_variable
env:
  - name: DB_PASSWORD
    valueFrom:
      secretKeyRef:
        name: pg-app
        key: password
=== 26 log_id
NAME                       READY   STATUS    RESTARTS   AGE
api-⟨#h*10-lllll⟩       1/1     Running   0          3d
worker-⟨#h*9-lllll⟩     0/1     CrashLoopBackOff   14   51m
=== 26 log_id Events: Pulled image "registry.k8s.io/pause:3.⟨#d⟩" in ⟨#ddd⟩ms; Created container ⟨#h*64⟩
=== 26 uuid
metadata:
  uid: ⟨#h*8-hhhh-4hhh-9hhh-h*12⟩
  resourceVersion: "⟨#Dd*7⟩"
  creationTimestamp: "2026-05-⟨#1d⟩T08:00:00Z"
=== 26 masked_value
apiVersion: v1
kind: Secret
metadata: {name: smtp}
data:
  username: <redacted>
  password: <redacted>
=== 27 placeholder
variable "db_password" {
  type      = string
  sensitive = true
  description = "Set with TF_VAR_db_password, never in a file"
}
=== 27 masked_value
  ~ resource "aws_db_instance" "main" {
      ~ password       = (sensitive value)
      ~ engine_version = "16.⟨#d⟩" -> "17.⟨#d⟩"
    }
Plan: 0 to add, 1 to change, 0 to destroy.
=== 27 cloud_name
arn:aws:iam::⟨#d*12⟩:role/ci-deployer
arn:aws:lambda:eu-central-1:⟨#d*12⟩:function:resize:14
=== 27 cloud_name subnet-0⟨#h*16⟩ sg-0⟨#h*16⟩ vpc-0⟨#h*16⟩ ami-0⟨#h*16⟩ i-0⟨#h*16⟩
=== 28 cloud_name
$ aws secretsmanager list-secrets --query 'SecretList[].Name'
["prod/db/password", "prod/stripe/api_key", "prod/jwt/signing-key-⟨#dddd⟩"]
=== 28 cloud_name
$ gcloud projects list
PROJECT_ID            NAME      PROJECT_NUMBER
northbeam-prod-⟨#dddd⟩  prod      ⟨#Dd*11⟩
=== 28 cloud_name "id": "/subscriptions/⟨#h*8-hhhh-4hhh-8hhh-h*12⟩/resourceGroups/rg-web/providers/Microsoft.KeyVault/vaults/kv-web-⟨#dd⟩"
=== 28 prose_about_secrets The key pair was created in KMS, the private part never leaves it; use alias/billing-signing in the config and rotate it yearly.
=== 28 timestamp lastModified: 17785⟨#ddddd⟩, expires_in: 3599, nbf: 17785⟨#ddddd⟩, size: ⟨#Dd*9⟩
=== 29 code_by_variable
Traceback (most recent call last):
  File "/app/auth.py", line ⟨#Ddd⟩, in verify
    token = request.headers["Authorization"].removeprefix("Bearer ")
KeyError: 'authorization'
=== 29 code_by_variable
TypeError: Client.__init__() got an unexpected keyword argument 'api_key'
    client = Client(api_key=settings.api_key, timeout=⟨#dd⟩)
=== 29 stack_trace
java.lang.NullPointerException: Cannot invoke "PasswordEncoder.matches(CharSequence, String)" because "this.encoder" is null
	at io.northbeam.auth.LoginService.check(LoginService.java:⟨#ddd⟩)
=== 29 stack_trace
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x⟨#hh⟩ pc=0x⟨#h*6⟩]
goroutine ⟨#ddd⟩ [running]:
=== 29 stack_trace KeyError: 'STRIPE_SECRET_KEY' is not set. Did you copy .env.example? (settings.py:⟨#dd⟩)
=== 29 placeholder could not connect: postgresql://USER:PASS@HOST:5432/DB is not a valid DSN, replace the upper-case parts (hint ⟨#dd⟩)
=== 29 masked_value sqlalchemy.exc.OperationalError: connection to postgresql://billing:***@pg-prod-1.internal:5432/billing failed after ⟨#Dd⟩ s
=== 30 hash
diff --git a/yarn.lock b/yarn.lock
-  integrity sha512-⟨#B*86⟩==
+  integrity sha512-⟨#B*86⟩==
=== 30 hash
index ⟨#h*10⟩..⟨#h*10⟩ 100644
--- a/go.sum
+++ b/go.sum
+golang.org/x/crypto v0.3⟨#d⟩.0 h1:⟨#B*43⟩=
=== 30 npm_scope "dependencies": {"@tanstack/react-query": "^5.⟨#dd⟩.0", "@auth/core": "0.3⟨#d⟩.0", "@aws-sdk/client-s3": "3.⟨#ddd⟩.0"}
=== 30 npm_scope
npm ls
├── @babel/core@7.2⟨#d⟩.0
├── @types/node@22.1⟨#d⟩.2
└─┬ passport-jwt@4.0.⟨#d⟩
=== 30 decorator
@app.post("/tokens/{token_id}/revoke")
@require_scope("tokens:write")
async def revoke(token_id: UUID, user: User = Depends(current_user)) -> None:
    await tokens.revoke(token_id, by=user.id, reason_code=⟨#dd⟩)
=== 30 decorator
@dataclass(frozen=True)
class Credentials:
    username: str
    password: str = field(repr=False)
    ttl_s: int = ⟨#Dddd⟩
=== 30 code_by_variable
const token = await getToken({ req, secret: process.env.NEXTAUTH_SECRET })
if (!token) return res.status(401).end()
setTimeout(refresh, ⟨#Dddd⟩)
=== 30 code_by_variable
password = getpass.getpass("Password for {}: ".format(user))
if len(password) < ⟨#D⟩: raise ValueError("password too short")
=== 30 code_by_variable
var apiKey = Configuration["Payments:ApiKey"] ?? throw new InvalidOperationException("ApiKey missing");
var retries = ⟨#D⟩;
=== 30 code_by_variable
$password = Hash::make($request->input('password'));
User::where('id', ⟨#Dddd⟩)->update(['password' => $password]);
=== 30 code_by_variable
let secret = std::env::var("SESSION_SECRET").expect("SESSION_SECRET");
let key = Key::derive_from(secret.as_bytes());
let max_age = Duration::hours(⟨#Dd⟩);
=== 30 prose_about_secrets Review: please don't log `token` here even at debug level; line ⟨#ddd⟩ prints the whole header object.
=== 30 minified !function(e,t){"object"==typeof exports?module.exports=t():e.n⟨#dd⟩=t()}(this,function(){var r={k:"a⟨#ddd⟩",p:0};return r.password=function(e){return e&&e.length>8},r});
=== 30 minified var a=function(t){for(var e=0x⟨#h*8⟩,r=0;r<t.length;r++)e=Math.imul(e^t.charCodeAt(r),0x⟨#h*8⟩);return e>>>0};
=== 30 base64_picture <img alt="logo" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAA⟨#B*180⟩AAAAASUVORK5CYII=">
=== 30 base64_picture .icon{background:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7) no-repeat;width:⟨#dd⟩px}
=== 30 base64_picture @font-face{font-family:"Inter";src:url(data:font/woff2;base64,d09GMgABAAAAA⟨#B*200⟩) format("woff2")}
=== 31 placeholder curl -H "Authorization: Bearer $TOKEN" https://api.northbeam.io/v2/items?page=⟨#dd⟩
=== 31 placeholder curl -H "X-API-Key: YOUR_API_KEY" -d '{"q":"shoes","limit":⟨#D⟩0}' https://api.northbeam.io/search
=== 31 log_id
< HTTP/2 200
< etag: W/"⟨#h*32⟩"
< cf-ray: ⟨#h*16⟩-FRA
< x-request-id: ⟨#h*8-hhhh-4hhh-9hhh-h*12⟩
=== 31 log_id
traceparent: 00-⟨#h*32⟩-⟨#h*16⟩-01
x-b3-sampled: 1
=== 31 masked_value
> authorization: Bearer [REDACTED]
> user-agent: curl/8.⟨#1d⟩.0
< HTTP/2 403
=== 31 public_header
< content-security-policy: script-src 'self' 'sha256-⟨#B*43⟩='
< strict-transport-security: max-age=31536000
=== 32 hash
"Id": "sha256:⟨#h*64⟩",
"RepoDigests": ["postgres@sha256:⟨#h*64⟩"],
"Created": "2026-04-⟨#1d⟩T03:14:15.926535Z"
=== 32 private_ip "Networks": {"app_default": {"Gateway": "172.18.0.1", "IPAddress": "172.18.0.⟨#D⟩", "IPPrefixLen": 16, "EndpointID": "⟨#h*64⟩"}}
=== 32 code_by_variable
healthcheck: ["CMD-SHELL", "mysqladmin ping -p$$MYSQL_ROOT_PASSWORD --silent"]
retries: ⟨#D⟩
=== 33 code_by_variable
from google.colab import userdata
client = OpenAI(api_key=userdata.get("OPENAI_API_KEY"))
temperature = 0.⟨#D⟩
=== 33 model_name meta-llama/Llama-3.3-70B-Instruct 4bit, max_tokens=⟨#Dddd⟩, prompt_tokens=⟨#Dddd⟩, completion_tokens=⟨#ddd⟩, sk-learn 1.6
=== 33 model_name
tokenizer.add_special_tokens({"pad_token": "<|pad|>"})  # token id ⟨#1ddddd⟩
len(tokenizer) -> ⟨#1ddddd⟩
=== 33 numbers
tensor([[ 0.⟨#dddd⟩, -1.⟨#dddd⟩,  0.⟨#dddd⟩],
        [-0.⟨#dddd⟩,  2.⟨#dddd⟩,  0.⟨#dddd⟩]], device='cuda:0')
=== 33 numbers epoch 3 step ⟨#Dddd⟩ loss 1.⟨#dddd⟩ lr 3.00e-04 grad_norm 0.⟨#ddd⟩ tokens/s ⟨#ddddd⟩
"""
