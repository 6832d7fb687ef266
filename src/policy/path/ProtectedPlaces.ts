import type { Decision } from "../Verdict.ts"
import type { Access } from "./PathOp.ts"

/** A kind of place that is not like other files, wherever the boundary runs. */
export interface Protection extends Readonly<Record<Access, Decision>> {
  readonly rule: string
  readonly reason: string
}

const kernel: Protection = {
  rule: "path/kernel",
  see: "deny",
  change: "deny",
  reason: "the kernel's own files hold the runtime's environment and aliases of everything else"
}

export const credentials: Protection = {
  rule: "path/credentials",
  see: "deny",
  change: "deny",
  reason: "keys and credentials are never opened by a tool"
}

/** What stands beside keys and is none: worth a question, not worth a refusal. */
export const sshSettings: Protection = {
  rule: "path/ssh-settings",
  see: "ask",
  change: "deny",
  reason: "it names hosts and accounts, and is obeyed by the next connection"
}

/** Names, folded, of files in `.ssh` that hold no key. */
export const isSshSetting = (name: string): boolean =>
  name === "config" || name === "known_hosts" || name.endsWith(".pub")

export const startup: Protection = {
  rule: "path/startup",
  see: "allow",
  change: "deny",
  reason: "it runs or is obeyed on the user's next login or command; ask the user to edit it"
}

export const repository: Protection = {
  rule: "path/repository",
  see: "allow",
  change: "deny",
  reason: "what git keeps for itself (hooks, configuration, refs) is changed by git commands only"
}

export const bareRepository: Protection = {
  rule: "path/bare-repository",
  see: "allow",
  change: "ask",
  reason: "it looks like the inside of a bare repository, whose hooks and configuration run code"
}

export const state: Protection = {
  rule: "path/own-state",
  see: "ask",
  change: "deny",
  reason: "our own configuration, permissions and records are not changed by a tool; use the settings commands"
}

export const secretFile: Protection = {
  rule: "path/secret-file",
  see: "ask",
  change: "ask",
  reason: "files of this name usually hold secrets"
}

export const runsLater: Protection = {
  rule: "path/runs-later",
  see: "allow",
  change: "ask",
  reason: "it runs code, steers tools or carries credentials later"
}

/** Rules whose consent is for one call only. */
export const askEachTime: ReadonlySet<string> = new Set(
  [bareRepository, state, secretFile, runsLater].map((protection) => protection.rule)
)

const table = (...rows: ReadonlyArray<readonly [Protection, string]>): ReadonlyMap<string, Protection> =>
  new Map(rows.flatMap(([protection, paths]) => paths.split(/\s+/).map((path) => [path, protection] as const)))

/** Below `/` (and `/private` on macOS). */
export const system = table(
  [kernel, "proc sys dev"],
  [credentials, "etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers etc/sudoers.d etc/krb5.keytab"],
  [credentials, "etc/ssl/private etc/master.passwd var/run/secrets run/secrets var/db/dslocal"],
  [startup, "etc/profile etc/profile.d etc/bash.bashrc etc/bashrc etc/zsh etc/zshrc etc/environment etc/ld.so.preload"],
  [
    startup,
    "etc/ld.so.conf etc/ld.so.conf.d etc/pam.d etc/passwd etc/group etc/ssh etc/systemd etc/init.d etc/rc.local"
  ],
  [startup, "etc/crontab etc/cron.d etc/cron.hourly etc/cron.daily etc/cron.weekly etc/cron.monthly etc/gitconfig"],
  [startup, "var/spool/cron var/at library/launchagents library/launchdaemons"]
)

/** Runs of names, folded, at any depth. */
export const anywhere = table(
  [repository, ".git"],
  [state, ".tollgate"],
  [credentials, ".ssh .gnupg .aws .azure .kube .password-store .config/gcloud .config/gh .config/op .config/rclone"],
  [credentials, ".docker/config.json library/keychains .local/share/keyrings"]
)

/** Below the home directory. */
export const home = table(
  [credentials, ".netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials .vault-token"],
  [credentials, ".cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d .oci .config/doctl .fly"],
  [credentials, ".mozilla .config/google-chrome .config/chromium .config/bravesoftware library/cookies library/safari"],
  [credentials, ".local/share/fish/fish_history .authinfo .authinfo.gpg .databrickscfg .boto .s3cfg"],
  [startup, ".profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin"],
  [startup, ".zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc"],
  [startup, ".pam_environment .config/fish .config/nushell .config/powershell .config/environment.d .config/autostart"],
  [startup, ".config/systemd .local/share/systemd .local/share/applications .local/bin bin library/launchagents"],
  [
    startup,
    ".gitconfig .config/git .gitignore_global .vimrc .vim .config/nvim .emacs .emacs.d .tmux.conf .config/tmux"
  ],
  [startup, ".screenrc .curlrc .wgetrc .ripgreprc .gdbinit .lldbinit .pythonrc .irbrc .rprofile .psqlrc .sqliterc"],
  [
    startup,
    ".cargo/config .cargo/config.toml .m2/settings.xml .gradle .pip .config/pip .yarnrc .yarnrc.yml .bunfig.toml"
  ],
  [
    startup,
    ".crontab .forward .mailcap .hushlogin .claude .claude.json .codex .gemini .cursor .vscode .mcp.json .oh-my-zsh"
  ]
)

/** Runs of names, folded, below a root. */
export const workspace = table(
  [runsLater, ".github/workflows .github/actions .gitlab-ci.yml .gitlab-ci.yaml .circleci .buildkite .travis.yml"],
  [runsLater, "jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .woodpecker .woodpecker.yml"],
  [runsLater, ".vscode .idea .fleet .zed .vs .devcontainer .devcontainer.json .vim .nvim.lua .exrc"],
  [runsLater, ".envrc .direnv .mise.toml mise.toml .tool-versions .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pypirc"],
  [runsLater, ".mcp.json .cursor .cursorrules .claude .claude.json .codex .gemini .opencode .aider.conf.yml .windsurf"],
  [runsLater, "agents.md claude.md gemini.md .github/copilot-instructions.md .roo .cline .continue"],
  [runsLater, ".husky .githooks .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml lefthook.yml"],
  [runsLater, ".lefthook.yml lefthook-local.yml .gitmodules .gitattributes .gitconfig .ripgreprc .cargo/config.toml"],
  [runsLater, ".cargo/config .bashrc .bash_profile .profile .zshrc .zshenv .zprofile .gdbinit .lldbinit"]
)

const secretNames = new Set(
  (
    ".env .envrc .flaskenv .npmrc .netrc _netrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .vault-token " +
    "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk credentials credentials.json credentials.toml " +
    "secrets.json secrets.yml secrets.yaml secrets.toml .secrets service-account.json kubeconfig terraform.tfstate " +
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history"
  ).split(" ")
)

const secretSuffixes = ".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .ovpn .tfstate .tfvars".split(" ")

const templates = new Set("example sample template tmpl tpl dist defaults schema".split(" "))

/** Whether files of this folded name usually hold secrets; templates of them do not. */
export const holdsSecrets = (name: string): boolean => {
  if (secretNames.has(name)) return true
  if (name.startsWith(".env.") || name.startsWith(".dev.vars"))
    return !templates.has(name.slice(name.lastIndexOf(".") + 1))
  return secretSuffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix))
}

/** The short names that NTFS could give the directories that must not be reached by another name. */
export const shortNames: ReadonlyMap<string, string> = new Map([
  ["git~", ".git"],
  ["ssh~", ".ssh"],
  ["gnupg~", ".gnupg"],
  ["aws~", ".aws"],
  ["env~", ".env"],
  ["husky~", ".husky"],
  ["vscode~", ".vscode"]
])
