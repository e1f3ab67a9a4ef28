"""Keys and tokens whose shape is a fixed pattern: a shape and a random source enter, a value leaves.

A shape is plain text in which `{a20}` stands for 20 random letters and digits; `ALPHABETS` lists the codes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
ALPHABETS: Mapping[str, str] = {
    "a": UPPER + LOWER + DIGITS,
    "b": UPPER + LOWER + DIGITS + "+/",
    "w": UPPER + LOWER + DIGITS + "-_",
    "h": DIGITS + "abcdef",
    "H": DIGITS + "ABCDEF",
    "d": DIGITS,
    "n": "123456789",  # a digit that is not 0
    "l": LOWER,
    "U": UPPER,
    "L": UPPER + LOWER,
    "u": UPPER + DIGITS,
    "v": LOWER + DIGITS,
    "g": "CFGHJKLMNPRTVWXYZ0123456789",  # German travel documents
    "z": UPPER + "234567",  # base 32
    "m": UPPER + LOWER + DIGITS + "_",
}
HOLE = re.compile(r"\{([a-zA-Z])(\d+)\}")


def shape(rng: Random, pattern: str) -> str:
    """Return the pattern with every hole `{code length}` filled at random."""
    return HOLE.sub(lambda hole: "".join(rng.choices(ALPHABETS[hole[1]], k=int(hole[2]))), pattern)


UUID = "{h8}-{h4}-4{h3}-a{h3}-{h12}"
# kind -> (shape, its usual variable, its host); a shape without a prefix is known by its label alone
Shapes = Mapping[str, tuple[tuple[str, str, str], ...]]
PREFIXED: Shapes = {
    "ai_api_key": (
        ("sk-proj-{w74}T3BlbkFJ{w73}A", "OPENAI_API_KEY", "api.openai.com"),
        ("sk-svcacct-{w74}T3BlbkFJ{w73}A", "OPENAI_KEY", "api.openai.com"),
        ("sk-{a20}T3BlbkFJ{a20}", "OPENAI_API_KEY", "api.openai.com"),
        ("sk-ant-api03-{w92}8AA", "ANTHROPIC_API_KEY", "api.anthropic.com"),
        ("sk-ant-admin01-{w92}8AA", "ANTHROPIC_ADMIN_KEY", "api.anthropic.com"),
        ("AIzaSy{w32}8", "GEMINI_API_KEY", "generativelanguage.googleapis.com"),
        ("gsk_{a20}WGdyb3FY{a24}", "GROQ_API_KEY", "api.groq.com"),
        ("xai-{a80}", "XAI_API_KEY", "api.x.ai"),
        ("pplx-{a48}", "PERPLEXITY_API_KEY", "api.perplexity.ai"),
        ("sk-or-v1-{h64}", "OPENROUTER_API_KEY", "openrouter.ai"),
        ("hf_{L34}", "HF_TOKEN", "huggingface.co"),
        ("r8_{a37}", "REPLICATE_API_TOKEN", "api.replicate.com"),
        ("sk-{h32}", "DEEPSEEK_API_KEY", "api.deepseek.com"),
        ("fw_{a22}", "FIREWORKS_API_KEY", "api.fireworks.ai"),
        ("pa-{w42}5", "VOYAGE_API_KEY", "api.voyageai.com"),
        ("csk-{v48}", "CEREBRAS_API_KEY", "api.cerebras.ai"),
        ("nvapi-{w63}T", "NVIDIA_API_KEY", "integrate.api.nvidia.com"),
        ("sk_{h48}", "ELEVENLABS_API_KEY", "api.elevenlabs.io"),
        ("lsv2_pt_{h32}_{h10}", "LANGSMITH_API_KEY", "api.smith.langchain.com"),
        ("tvly-prod-{a32}", "TAVILY_API_KEY", "api.tavily.com"),
        ("pcsk_{a6}_{a63}", "PINECONE_API_KEY", "api.pinecone.io"),
        ("fc-{h32}", "FIRECRAWL_API_KEY", "api.firecrawl.dev"),
        ("e2b_{h40}", "E2B_API_KEY", "api.e2b.dev"),
        ("sk-lf-" + UUID, "LANGFUSE_SECRET_KEY", "cloud.langfuse.com"),
        ("jina_{h32}{w27}h", "JINA_API_KEY", "api.jina.ai"),
    ),
    "code_host_token": (
        ("github_pat_11{u20}_{a59}", "GITHUB_TOKEN", "api.github.com"),
        ("glpat-{w19}x", "GITLAB_TOKEN", "gitlab.com"),
        ("glpat-{w26}A.01.{v9}", "GITLAB_TOKEN", "gitlab.com"),
        ("gldt-{w19}k", "CI_DEPLOY_PASSWORD", "registry.gitlab.com"),
        ("glrt-{w19}7", "RUNNER_TOKEN", "gitlab.com"),
        ("ATBB{a28}{H8}", "BITBUCKET_APP_PASSWORD", "api.bitbucket.org"),
        ("ATCTT3xFfG{w171}={H8}", "BITBUCKET_TOKEN", "api.bitbucket.org"),
        ("bkua_{h40}", "BUILDKITE_API_TOKEN", "api.buildkite.com"),
        ("CCIPAT_{a22}_{h40}", "CIRCLE_TOKEN", "circleci.com"),
        ("{a76}AZDO{a4}", "AZURE_DEVOPS_PAT", "dev.azure.com"),
        ("squ_{h40}", "SONAR_TOKEN", "sonarcloud.io"),
        ("sgp_{h16}_{h40}", "SRC_ACCESS_TOKEN", "sourcegraph.com"),
    ),
    "package_token": (
        ("pypi-AgEIcHlwaS5vcmcC{w158}Q", "TWINE_PASSWORD", "upload.packages.example"),
        ("dckr_pat_{w26}4", "DOCKERHUB_TOKEN", "hub.docker.com"),
        ("dckr_oat_{w31}4", "DOCKER_ORG_TOKEN", "hub.docker.com"),
        ("rubygems_{h48}", "GEM_HOST_API_KEY", "rubygems.org"),
        ("cio{a32}", "CARGO_REGISTRY_TOKEN", "crates.io"),
        ("oy2{v43}", "NUGET_API_KEY", "api.nuget.org"),
        ("CLOJARS_{h60}", "CLOJARS_PASSWORD", "clojars.org"),
        ("AKCp8{a68}", "ARTIFACTORY_API_KEY", "artifacts.nordwerk-it.de"),
    ),
    "chat_token": (
        ("xoxb-{n1}{d11}-{n1}{d12}-{a24}", "SLACK_BOT_TOKEN", "slack.com"),
        ("xoxp-{n1}{d11}-{n1}{d11}-{n1}{d12}-{h32}", "SLACK_USER_TOKEN", "slack.com"),
        ("xapp-1-A{u10}-{n1}{d12}-{h64}", "SLACK_APP_TOKEN", "slack.com"),
        ("{n1}{d9}:AA{w32}s", "TELEGRAM_BOT_TOKEN", "api.telegram.org"),
        ("MT{a22}YzMw.G{a5}.{w37}o", "DISCORD_TOKEN", "discord.com"),
        ("EAA{a180}ZD", "WHATSAPP_TOKEN", "graph.facebook.com"),
    ),
    "payment_api_key": (
        ("sk_live_51{a99}", "STRIPE_SECRET_KEY", "api.stripe.com"),
        ("rk_live_51{a99}", "STRIPE_RESTRICTED_KEY", "api.stripe.com"),
        ("whsec_{a32}", "STRIPE_WEBHOOK_SECRET", "api.stripe.com"),
        ("EAAAl{w59}", "SQUARE_ACCESS_TOKEN", "connect.squareup.com"),
        ("shpat_{h32}", "SHOPIFY_ADMIN_TOKEN", "brotzeit-shop.myshopify.com"),
        ("APP_USR-{n1}{d15}-{d6}-{h32}-{n1}{d8}", "MP_ACCESS_TOKEN", "api.mercadopago.com"),
        ("live_{a30}", "MOLLIE_API_KEY", "api.mollie.com"),
        ("sk_live_{h40}", "PAYSTACK_SECRET_KEY", "api.paystack.co"),
        ("FLWSECK-{h32}-X", "FLW_SECRET_KEY", "api.flutterwave.com"),
        ("AQE{a40}K{b52}-{b43}=-{b14}", "ADYEN_API_KEY", "checkout-live.adyen.com"),
    ),
    "mail_api_key": (
        ("SG.{w22}.{w42}A", "SENDGRID_API_KEY", "api.sendgrid.com"),
        ("{h32}-us{n1}", "MAILCHIMP_API_KEY", "us6.api.mailchimp.com"),
        ("key-{h32}", "MAILGUN_API_KEY", "api.mailgun.net"),
        ("re_{a8}_{a24}", "RESEND_API_KEY", "api.resend.com"),
        ("xkeysib-{h64}-{a16}", "BREVO_API_KEY", "api.brevo.com"),
        ("SK{h32}", "TWILIO_API_KEY", "api.twilio.com"),
    ),
    "monitoring_key": (
        ("glsa_{a32}_{h8}", "GRAFANA_TOKEN", "grafana.nordwerk-it.de"),
        ("sntryu_{h64}", "SENTRY_AUTH_TOKEN", "sentry.io"),
        ("NRAK-{u27}", "NEW_RELIC_API_KEY", "api.newrelic.com"),
        ("phx_{a43}", "POSTHOG_PERSONAL_KEY", "eu.posthog.com"),
        ("dt0c01.{z24}.{z64}", "DT_API_TOKEN", "kxw52107.live.dynatrace.com"),
        ("hcaik_01{v58}", "HONEYCOMB_API_KEY", "api.honeycomb.io"),
    ),
    "infra_token": (
        ("dop_v1_{h64}", "DIGITALOCEAN_TOKEN", "api.digitalocean.com"),
        ("HRKU-AA{w58}", "HEROKU_API_KEY", "api.heroku.com"),
        ("hvs.CAES{w90}4", "VAULT_TOKEN", "vault.nordwerk-it.de:8200"),
        ("{a14}.atlasv1.{a67}", "TFE_TOKEN", "app.terraform.io"),
        ("dp.st.prd.{a43}", "DOPPLER_TOKEN", "api.doppler.com"),
        ("dapi{h32}", "DATABRICKS_TOKEN", "adb-4417720936158805.5.azuredatabricks.net"),
        ("pscale_tkn_{w42}5", "PLANETSCALE_TOKEN", "api.planetscale.com"),
        ("napi_{v64}", "NEON_API_KEY", "console.neon.tech"),
        ("sbp_{h40}", "SUPABASE_ACCESS_TOKEN", "api.supabase.com"),
        ("sb_secret_{w22}_{w8}", "SUPABASE_SECRET_KEY", "qkzvtwmhrpbnylxcdgfe.supabase.co"),
        ("nfp_{a36}", "NETLIFY_AUTH_TOKEN", "api.netlify.com"),
        ("tskey-auth-k{a11}CNTRL-{a32}", "TS_AUTHKEY", "api.tailscale.com"),
        ("pul-{h40}", "PULUMI_ACCESS_TOKEN", "api.pulumi.com"),
        ("rnd_{a28}", "RENDER_API_KEY", "api.render.com"),
        ("FlyV1 fm2_lJPE{b150}", "FLY_API_TOKEN", "api.machines.dev"),
    ),
    "saas_api_key": (
        ("lin_api_{a40}", "LINEAR_API_KEY", "api.linear.app"),
        ("ntn_{d11}{a35}", "NOTION_TOKEN", "api.notion.com"),
        ("pat{a14}.{h64}", "AIRTABLE_PAT", "api.airtable.com"),
        ("ATATT3xFfGF0{w172}={H8}", "JIRA_API_TOKEN", "nordwerk.atlassian.net"),
        ("figd_{w39}a", "FIGMA_TOKEN", "api.figma.com"),
        ("pat-eu1-" + UUID, "HUBSPOT_TOKEN", "api.hubapi.com"),
        ("PMAK-{h24}-{h34}", "POSTMAN_API_KEY", "api.getpostman.com"),
        ("CFPAT-{w42}4", "CONTENTFUL_MGMT_TOKEN", "api.contentful.com"),
        ("tfp_{a44}_{a14}", "TYPEFORM_TOKEN", "api.typeform.com"),
        ("sl.u.AF{w130}Q", "DROPBOX_TOKEN", "api.dropboxapi.com"),
        ("2/{n1}{d15}/{n1}{d15}:{h32}", "ASANA_PAT", "app.asana.com"),
        ("pk_{n1}{d7}_{u32}", "CLICKUP_TOKEN", "api.clickup.com"),
        ("ops_eyJzaWduSW5BZGRyZXNzIjoi{a240}", "OP_SERVICE_ACCOUNT_TOKEN", "my.1password.com"),
    ),
}
UNPREFIXED: Shapes = {
    "unprefixed_api_key": (
        ("{a40}", "COHERE_API_KEY", "api.cohere.com"),
        ("{a32}", "MISTRAL_API_KEY", "api.mistral.ai"),
        ("{h64}", "TOGETHER_API_KEY", "api.together.xyz"),
        ("{h32}", "DD_API_KEY", "api.datadoghq.eu"),
        ("{h40}", "DD_APP_KEY", "api.datadoghq.eu"),
        ("{w39}B", "CLOUDFLARE_API_TOKEN", "api.cloudflare.com"),
        ("{h37}", "CF_GLOBAL_API_KEY", "api.cloudflare.com"),
        ("{h40}", "DEEPGRAM_API_KEY", "api.deepgram.com"),
        ("{h32}", "ALGOLIA_ADMIN_API_KEY", "algolia.net"),
        (UUID, "POSTMARK_SERVER_TOKEN", "api.postmarkapp.com"),
        (UUID, "EXA_API_KEY", "api.exa.ai"),
        ("{a24}", "VERCEL_TOKEN", "api.vercel.com"),
        ("{h32}", "TWILIO_AUTH_TOKEN", "api.twilio.com"),
        ("{a64}", "BINANCE_API_SECRET", "api.binance.com"),
        ("u+{a18}", "PAGERDUTY_API_KEY", "api.pagerduty.com"),
        ("{h32}", "OPENWEATHER_API_KEY", "api.openweathermap.org"),
        ("{h64}", "SESSION_SECRET", "app.brotzeit-shop.de"),
        ("{a40}", "ZENDESK_API_TOKEN", "brotzeit.zendesk.com"),
        ("00{w39}q", "OKTA_API_TOKEN", "brotzeit.okta.com"),
        ("{u20}", "TRANSIP_API_SECRET", "api.transip.nl"),
    ),
}
