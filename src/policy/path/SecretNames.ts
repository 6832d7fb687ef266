/** Folded names of files that usually hold secrets, at any depth. */
export const secretNames: ReadonlySet<string> = new Set(
  (
    ".envrc .flaskenv .npmrc .netrc _netrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .vault-token " +
    "credentials credentials.json credentials.toml client_secret.json client_secrets.json wallet.dat .mylogin.cnf " +
    "application_default_credentials.json secrets.json secrets.yml secrets.yaml secrets.toml .secrets service-account.json kubeconfig terraform.tfstate " +
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history"
  ).split(" ")
)

/** How the names of others end. */
export const secretSuffixes: ReadonlyArray<string> =
  ".pem .key .p8 .p12 .pfx .jks .keystore .keytab .agekey .kdb .kdbx .ppk .ovpn .tfstate .tfvars .env".split(" ")

/** Private keys under the names that `ssh-keygen` proposes, and copies of them. */
const sshKey = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:[_-][\w-]*)?(?:\.(?:bak|old|orig))?$/

/** Tickets of Kerberos, which lie among temporary files. */
const tickets = /^krb5cc(?:_|$)/

const environment = /^\.(?:env|dev\.vars)(?:$|[._~-])/

const templates = new Set("example sample template tmpl tpl dist defaults schema".split(" "))

const isTemplate = (name: string): boolean => name.split(/[._-]/).some((word) => templates.has(word))

/** Whether files of this folded name usually hold secrets; templates of environments do not. */
export const holdsSecrets = (name: string): boolean => {
  if (secretNames.has(name) || sshKey.test(name) || tickets.test(name)) return true
  if (environment.test(name) || name.endsWith(".env")) return !isTemplate(name)
  return secretSuffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix))
}
