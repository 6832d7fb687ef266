/**
 * How well-known credentials look, as their issuers document them or as secret scanners know them. Every pattern is one
 * literal followed by one run of characters, so that a search stays linear.
 */
const shapes: ReadonlyArray<readonly [kind: string, pattern: string]> = [
  ["anthropic-key", "sk-ant-[\\w-]{16,}"],
  ["openai-key", "sk-(?:proj|svcacct|admin|or-v1)-[\\w-]{20,}|sk-[A-Za-z0-9]{20,}"],
  ["github-token", "gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\\w{22,}"],
  ["gitlab-token", "gl(?:pat|dt|rt|ft|ptt|soat)-[\\w-]{20,}"],
  ["aws-key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"],
  ["google-key", "AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}"],
  [
    "slack-token",
    "xox[abcdeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,}"
  ],
  ["stripe-key", "[prs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"],
  ["npm-token", "npm_[A-Za-z0-9]{30,}"],
  ["pypi-token", "pypi-[\\w-]{50,}"],
  ["huggingface-token", "hf_[A-Za-z0-9]{30,}"],
  ["groq-key", "gsk_[A-Za-z0-9]{40,}"],
  ["xai-key", "xai-[A-Za-z0-9]{40,}"],
  ["sendgrid-key", "SG\\.[\\w-]{16,64}\\.[\\w-]{16,}"],
  ["digitalocean-token", "do[opr]_v1_[a-f0-9]{64}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"],
  ["age-key", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"],
  ["telegram-token", "\\d{8,10}:AA[\\w-]{33}"],
  ["jwt", "(?<![\\w-])eyJ[\\w-]{8,4096}\\.[\\w-]{8,}(?:\\.[\\w-]*){1,4}"]
]

/** Finds any of them; the name of the group that matched is `k` and the index of its kind. */
export const anyShape = new RegExp(
  `(?<![A-Za-z0-9])(?:${shapes.map(([, pattern], index) => `(?<k${index}>${pattern})`).join("|")})`,
  "g"
)

export const shapeKind = (groups: Readonly<Record<string, string | undefined>>): string =>
  shapes.find((_, index) => groups[`k${index}`] !== undefined)?.[0] ?? "secret"
