/**
 * How well-known credentials look, as their issuers document them or as secret scanners know them. Every pattern is a literal
 * or a run of known length followed by one run of characters, so that a search stays linear.
 */
const shapes: ReadonlyArray<readonly [kind: string, pattern: string]> = [
  ["anthropic-key", "sk-ant-[\\w-]{16,}"],
  ["openai-key", "sk-(?:proj|svcacct|admin|or-v1|lf)-[\\w-]{20,}|sk-[A-Za-z0-9]{20,}"],
  ["github-token", "gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\\w{22,}"],
  ["gitlab-token", "gl(?:pat|dt|rt|ft|ptt|soat|cbt|imt|agent|oas|ffct|wt)-[\\w-]{20,}|GR1348941[\\w-]{20,}"],
  ["bitbucket-token", "ATBB[A-Za-z0-9]{32}|AT(?:ATT|CTT)3[\\w=-]{100,}"],
  ["sourcegraph-token", "sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"],
  ["aws-key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/=]{100,}"],
  ["google-key", "AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}"],
  ["azure-secret", "[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}"],
  [
    "slack-token",
    "xox[abcdeoprs](?:\\.xox[abp])?-[A-Za-z0-9%-]{10,}|xapp-[A-Za-z0-9-]{10,}|" +
      "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}"
  ],
  [
    "discord-token",
    "discord(?:app)?\\.com/api/webhooks/\\d{16,20}/[\\w-]{40,}|[MNO][DTjz][\\w-]{22,26}\\.[\\w-]{6}\\.[\\w-]{27,}"
  ],
  ["teams-webhook", "webhook\\.office\\.com/webhookb2/[\\w@/-]{60,}"],
  ["stripe-key", "[prs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"],
  ["square-token", "sq0(?:atp|csp)-[\\w-]{22,}"],
  ["payment-token", "access_token\\$production\\$[a-z0-9]{16}\\$[a-f0-9]{32}|EZ[AT]K[A-Za-z0-9]{54}"],
  ["plaid-token", "access-(?:sandbox|development|production)-[a-f0-9-]{36}"],
  ["npm-token", "npm_[A-Za-z0-9]{30,}"],
  ["pypi-token", "pypi-[\\w-]{50,}"],
  ["registry-token", "rubygems_[a-f0-9]{48}|cio[A-Za-z0-9]{32}(?!\\w)|oy2[a-z0-9]{43}(?!\\w)|CLOJARS_[a-z0-9]{60}"],
  ["docker-token", "dckr_(?:pat|oat)_[\\w-]{20,}"],
  ["artifactory-token", "AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56}"],
  ["huggingface-token", "(?:hf|api_org)_[A-Za-z0-9]{30,}"],
  ["groq-key", "gsk_[A-Za-z0-9]{40,}"],
  ["xai-key", "xai-[A-Za-z0-9]{40,}"],
  [
    "model-key",
    "r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{40,}|csk-[a-z0-9]{40,}|nvapi-[\\w-]{60,}|tgp_v1_[\\w-]{40,}|sk_[a-f0-9]{48}|" +
      "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|tvly-[A-Za-z0-9-]{30,}|fc-[a-f0-9]{32}"
  ],
  ["sendgrid-key", "SG\\.[\\w-]{16,64}\\.[\\w-]{16,}"],
  [
    "mail-key",
    "xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|[a-f0-9]{32}-us\\d{1,2}(?!\\w)|key-[a-f0-9]{32}(?!\\w)|" +
      "[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\\w-])"
  ],
  ["twilio-key", "SK[a-f0-9]{32}(?![A-Za-z0-9])"],
  ["digitalocean-token", "do[opr]_v1_[a-f0-9]{64}"],
  ["heroku-key", "HRKU-[\\w-]{36,}"],
  ["fly-token", "fm[12][ar]?_[\\w+/=-]{60,}"],
  ["cloudflare-key", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}"],
  ["hosting-token", "vc[aikpr]_[A-Za-z0-9]{50,}|nfp_\\w{36,}|rnd_[A-Za-z0-9]{28,}|tk-us-[\\w-]{48}"],
  [
    "database-token",
    "sbp_[a-f0-9]{40}|sb_secret_[\\w-]{20,}|pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,}|napi_[A-Za-z0-9]{40,}"
  ],
  ["databricks-token", "dapi[a-f0-9]{32}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"],
  ["sentry-token", "sntry[su]_[\\w=+/-]{60,}"],
  ["newrelic-key", "NRAK-[A-Z0-9]{27}"],
  ["grafana-token", "gl(?:sa|c)_[\\w+/=-]{32,}"],
  ["monitoring-key", "hc[abmtx]ik_[a-z0-9]{58}|dt0[a-z]01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}|ph[xs]_[A-Za-z0-9]{40,}"],
  ["linear-key", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}"],
  ["notion-token", "ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?!\\w)"],
  ["airtable-token", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"],
  ["figma-token", "fig[dopru]{1,2}_[\\w-]{32,}"],
  ["content-token", "CFPAT-[\\w-]{43}|pat-[a-z]{2,3}\\d-[a-f0-9-]{36}|tfp_[\\w.=-]{40,}|rdme_[a-z0-9]{70}"],
  ["mapbox-token", "[st]k\\.eyJ[\\w-]{20,}\\.[\\w-]{16,}"],
  ["doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,}"],
  ["1password-token", "ops_eyJ[\\w=+/-]{100,}"],
  ["vault-token", "hv[sbr]\\.[\\w-]{24,}"],
  ["infrastructure-token", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,}|pul-[a-f0-9]{40}|ico-[A-Za-z0-9]{32}(?!\\w)"],
  ["build-token", "sq[abpu]_[a-f0-9]{40}|CCI(?:PAT|PRJ)_\\w{40,}|bkua_[a-f0-9]{40}|pnu_[A-Za-z0-9]{36}"],
  ["tailscale-key", "tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,}"],
  ["postman-key", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"],
  ["duffel-key", "duffel_(?:test|live)_[\\w=-]{43}"],
  ["dropbox-token", "sl\\.(?:u\\.)?[\\w-]{130,}"],
  ["facebook-token", "EAACEdEose0cBA[A-Za-z0-9]{20,}"],
  ["age-key", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"],
  ["telegram-token", "\\d{8,10}:AA[\\w-]{33}"],
  ["password-hash", "\\$(?:2[abxy]|5|6|y|apr1|argon2(?:id|i|d))\\$[\\w./$=,+]{20,}"],
  ["jwt", "(?<![\\w-])eyJ[\\w-]{8,4096}\\.[\\w-]{8,}(?:\\.[\\w-]*){1,4}"]
]

/** Finds any of them; the name of the group that matched is `k` and the index of its kind. */
export const anyShape = new RegExp(
  `(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]))(?:${shapes.map(([, pattern], index) => `(?<k${index}>${pattern})`).join("|")})`,
  "g"
)

export const shapeKind = (groups: Readonly<Record<string, string | undefined>>): string =>
  shapes.find((_, index) => groups[`k${index}`] !== undefined)?.[0] ?? "secret"
