# ruff: noqa: E501, RUF001
"""Texts with passwords, connection strings, recovery codes and one-time codes; `render` explains the marks."""

PASSWORD_TEXTS = r"""
%% password_chat
my login doesn't work any more, the password is «password» and I changed nothing
%%
Hi, I can't get into my account. Username is ‹first›‹count›, pw: «password». Could you log in and have a look yourself?
%%
User: ok my temp password is "«password»" please change it after
%%
Mein Passwort lautet «password», damit komme ich aber nicht rein.
%%
Zugangsdaten fürs Kundenportal: Benutzer ‹last›, Kennwort «password»
%%
Das neue PW ist «password» - bitte ans Team weitergeben
%%
Bonjour, mon mot de passe est «password» et je n'arrive toujours pas à me connecter.
%%
identifiant : ‹last›
mdp : «password»
%%
Hola, mi contraseña es «password», ¿me puede decir por qué no entra?
%%
la clave de acceso nueva es «password» (la anterior no funcionaba)
%%
La mia password è «password», però il sito dice che è sbagliata
%%
A minha palavra-passe é «password». Podem repor a conta?
%%
a senha do painel é «password», usuário admin
%%
Mijn wachtwoord is «password», maar inloggen lukt niet.
%%
moje hasło to «password» i nadal nie mogę się zalogować
%%
Login: ‹first›
Hasło: «password»
%%
Lösenordet är «password», det står så i brevet ni skickade.
%%
Şifrem «password» ama giriş yapamıyorum, yardımcı olur musunuz?
%%
パスワードは「«password»」です。ログインできません。
%%
비밀번호는 «password» 입니다. 로그인이 안 돼요.
%%
Мой пароль: «password», войти не получается
%%
密码是 «password» ,登录不了
%%
Adgangskoden er «password», men siden siger fejl
%%
Sure! I logged in with the password «password» that you gave me and changed the delivery slot.
%%
Salasanani on «password», voitteko tarkistaa tilin?
%%
heslo je «password», prosím zkontrolujte účet
%% password_command
mysql -u shop -p'«password»' -h db-2.internal shop < dump.sql
%%
sshpass -p «password» scp build.tar deploy@‹pod_ip›:/srv/
%%
$ echo '«password»' | sudo -S systemctl restart ‹slug›
%%
PGPASSWORD=«password» psql -h ‹pod_ip› -U report -c "select count(*) from orders"
%%
curl -u 'reporting:«password»' https://erp.nordwerk-it.de/export/‹day›.csv -o /tmp/e.csv
%%
docker login registry.nordwerk-it.de -u ci -p «password»
WARNING! Using --password via the CLI is insecure.
%%
net use Z: \\fileserver\export /user:NORDWERK\svc_export «password»
%%
redis-cli -h ‹pod_ip› -a «password» --no-auth-warning ping
%%
openssl pkcs12 -in shop.p12 -passin pass:«password» -nodes
%%
ALTER USER report WITH PASSWORD '«password»';
%%
CREATE USER 'etl'@'10.%' IDENTIFIED BY '«password»';
GRANT SELECT ON shop.* TO 'etl'@'10.%';
%%
7z x -p«password» backup-‹day›.7z
%%
smbclient //nas/scan -U scanner%«password» -c 'ls'
%%
htpasswd -bc /etc/nginx/.htpasswd ‹slug› «password»
%%
{"name": "browser_fill", "arguments": {"selector": "input[type=password]", "text": "«password»"}}
%%
await page.fill('#password', '«password»');
await page.click('button[type=submit]');
%%
ConvertTo-SecureString "«password»" -AsPlainText -Force
%%
chpasswd <<< "‹slug›:«password»"
%% password_config
[mail]
host = smtp.nordwerk-it.de
user = noreply
password = «password»
%%
spring.datasource.username=shop
spring.datasource.password=«password»
%%
DB_HOST=db-1
DB_USER=shop
DB_PASSWORD="«password»"
REDIS_PASSWORD=«password#2»
%%
{"smtp": {"host": "smtp.nordwerk-it.de", "port": 587, "auth": {"user": "noreply", "pass": "«password»"}}}
%%
apiVersion: v1
kind: Secret
type: Opaque
data:
  password: «k8s_data»
  username: c2hvcA==
%%
all:
  hosts:
    edge-‹count›:
      ansible_user: ops
      ansible_become_pass: «password»
%%
master_password = "«password»"
allocated_storage = ‹count›
engine = "postgres"
%%
<property name="hibernate.connection.password">«password»</property>
%%
'connections' => ['mysql' => ['host' => 'db', 'username' => 'shop', 'password' => '«password»']],
%%
POSTGRES_PASSWORD: «password»
POSTGRES_DB: ‹slug›
%%
*.*:5432:‹slug›:report:«password»
%%
machine erp.nordwerk-it.de
  login export
  password «password»
%%
elasticsearch.username: "kibana_system"
elasticsearch.password: "«password»"
%%
user,password,role
‹first›,«password»,editor
‹last›,«password#2»,viewer
%%
{"arguments":"{\"username\":\"‹last›\",\"password\":\"«password»\",\"remember\":true}","name":"login"}
%%
username=‹last›&password=«url_password»&grant_type=password&scope=openid
%%
self.conn = pymysql.connect(host="db-2", user="etl", passwd="«password»", db="‹slug›")
%%
‹log› DEBUG auth: login attempt user=‹last› password=«password» result=locked
%%
--- a/values.yaml
+++ b/values.yaml
@@ -3,2 +3,2 @@
-  adminPassword: «password»
+  adminPassword: «password#2»
%%
id | username | plain_pw | last_login
 ‹count› | ‹last› | «password» | ‹day›
%% connection_string
DATABASE_URL=postgresql://shop:«url_password»@db-1.nordwerk-it.de:5432/‹slug›?sslmode=require
%%
mongodb+srv://‹slug›:«url_password»@cluster0.q7fkz.mongodb.net/orders?retryWrites=true
%%
engine = create_engine("mysql+pymysql://etl:«url_password»@‹pod_ip›/‹slug›")
%%
redis://default:«url_password»@‹pod_ip›:6379/0
%%
amqps://worker:«url_password»@mq.nordwerk-it.de/prod
%%
Server=tcp:‹slug›-sql.database.windows.net,1433;Database=orders;User ID=shopadmin;Password=«password»;Encrypt=True;
%%
jdbc:oracle:thin:report/«password»@‹pod_ip›:1521/ORCL
%%
sqlalchemy.exc.OperationalError: could not connect (postgresql://report:«url_password»@‹pod_ip›:5432/dwh)
%%
Data Source=SQL-03;Initial Catalog=Shop;Uid=svc_agent;Pwd=«password»;TrustServerCertificate=True
%%
ftp://upload:«url_password»@ftp.krueger-metallbau.de/in/‹day›.csv
%%
rtsp://admin:«url_password»@‹lan_ip›:554/stream1
%%
git remote set-url origin https://deploy:«url_password»@git.nordwerk-it.de/shop/‹slug›.git
%% recovery_code
Save your recovery codes:
«recovery_hex»
«recovery_hex#2»
«recovery_hex#3»
Each can be used once.
%%
I only have a backup code left: «recovery_digits». Will it still work?
%%
Meine Backup-Codes: «recovery_digits», «recovery_digits#2», «recovery_digits#3»
%%
BitLocker recovery key for the laptop of ‹name›: «bitlocker»
%%
FileVault recovery key: «apple_recovery»
Mac of ‹name›
%%
{"mfa": {"enabled": true, "recovery_codes": ["«recovery_block»", "«recovery_block#2»"]}}
%%
codes de secours restants : «recovery_hex», «recovery_hex#2»
%% one_time_code
Your verification code is «otp6». It expires in 10 minutes. Don't share it.
%%
they sent me «otp6» by sms, is that the code you need?
%%
<#> «otp_google» is your Google verification code.
%%
Ihre TAN für die Überweisung über ‹amount_de› EUR lautet «otp6».
%%
Der Bestätigungscode lautet: «otp8»
%%
Votre code de sécurité : «otp_spaced». Ne le communiquez à personne.
%%
Tu código de verificación es «otp6»
%%
Il codice OTP per confermare l'ordine ‹order› è «otp6»
%%
kod jednorazowy: «otp6» (ważny 5 min)
%%
Doğrulama kodunuz: «otp6»
%%
認証コードは «otp6» です。
%%
{"tool": "submit_2fa", "args": {"code": "«otp6»", "session": "checkout"}}
%%
Din engångskod: «otp8»
%%
Use «otp6» as the one-time passcode, I told the caller the same.
%% totp_seed
otpauth://totp/Nordwerk:‹slug›?secret=«totp_seed»&issuer=Nordwerk&digits=6
%%
Can't scan the code? Enter this setup key: «totp_spaced»
%%
totp = pyotp.TOTP("«totp_seed»")
print(totp.now())
%%
MFA_SECRET=«totp_seed»
%% wifi_and_pin
The wifi in the flat is Fritz-7530, key «wifi», check-in from 15:00.
%%
WLAN-Schlüssel: «wifi» (steht unten auf der Box)
%%
WIFI:T:WPA;S:‹city›-Guest;P:«android_wifi»;;
%%
my voicemail pin is «otp4», can you reset it
%%
The door code of the holiday flat is «otp4», key box left of the entrance
%%
network={
  ssid="‹city›-5G"
  psk="«android_wifi»"
}
%%
Die PIN meiner EC-Karte «card_pin» wurde dreimal falsch eingegeben
%%
PIN van mijn pas is «card_pin», waarom geweigerd?
%%
sim pin «otp4» puk «otp8»
"""
