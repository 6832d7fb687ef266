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
  reason: "kernel files expose environments, memory and every other file"
}

const device: Protection = {
  ...kernel,
  reason: "it is below /dev, where devices, streams and shared memory are; tools open none of them"
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
  reason: "it names hosts and accounts, and configures connections"
}

/** Names, folded, of files in `.ssh` that hold no key. */
export const isSshSetting = (name: string): boolean =>
  name === "config" || name === "known_hosts" || name.endsWith(".pub")

export const startup: Protection = {
  rule: "path/startup",
  see: "allow",
  change: "deny",
  reason: "it runs at the user's next login or command; ask the user to edit it"
}

export const repository: Protection = {
  rule: "path/repository",
  see: "allow",
  change: "deny",
  reason: "files of version control (hooks, configuration, refs) are changed only by its commands"
}

export const bareRepository: Protection = {
  rule: "path/bare-repository",
  see: "allow",
  change: "ask",
  reason: "it looks like part of a bare repository, whose hooks and configuration run code"
}

export const state: Protection = {
  rule: "path/own-state",
  see: "ask",
  change: "deny",
  reason: "only the user changes Tollgate's configuration, permissions and records, never a tool"
}

/** Configuration, records, keys and compiled code of Tollgate itself. */
export const ownFiles: Protection = {
  rule: "path/own-files",
  see: "deny",
  change: "deny",
  reason: "no tool can reach Tollgate's configuration, records and compiled code"
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
  reason: "programs run it or take settings from it later"
}

/** What programs keep under names with a dot in the home directory: settings that are obeyed later, and sign-ins. */
export const homeSettings: Protection = {
  rule: "path/home-settings",
  see: "ask",
  change: "ask",
  reason: "it holds settings of a program, and perhaps credentials"
}

/** The rule about files with several names. */
export const hardLink = "path/hard-link"

/** Rules whose consent is for one call only. */
export const askEachTime: ReadonlySet<string> = new Set([
  ...[bareRepository, state, secretFile, runsLater, homeSettings].map((protection) => protection.rule),
  hardLink
])

const table = (...rows: ReadonlyArray<readonly [Protection, string]>): ReadonlyMap<string, Protection> =>
  new Map(rows.flatMap(([protection, paths]) => paths.split(/\s+/).map((path) => [path, protection] as const)))

/** Below `/` (and `/private` on macOS). */
export const system = table(
  [kernel, "proc sys"],
  [device, "dev"],
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
  [repository, ".git .hg .svn .bzr .jj .sl"],
  [state, ".tollgate"],
  [credentials, ".ssh .gnupg .aws .azure .kube .password-store .config/gcloud .config/gh .config/op .config/rclone"],
  [credentials, ".docker/config.json library/keychains .local/share/keyrings"]
)

/** Below the home directory. */
export const home = table(
  [credentials, ".netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials .vault-token"],
  [credentials, ".cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d .oci .config/doctl .fly"],
  [credentials, ".mozilla .config/google-chrome .config/chromium .config/bravesoftware library/cookies library/safari"],
  [credentials, ".local/share/fish .authinfo .authinfo.gpg .databrickscfg .boto .s3cfg .thunderbird .age"],
  [credentials, ".codex/auth.json .claude/.credentials.json .gemini/oauth_creds.json .local/share/opencode"],
  [
    credentials,
    ".config/hub .config/glab-cli .config/github-copilot .config/sops .config/containers/auth.json .kaggle"
  ],
  [credentials, ".config/heroku .config/stripe .config/flyctl .config/pypoetry/auth.toml .huggingface .snowsql"],
  [credentials, ".cache/huggingface/token .subversion/auth .m2/settings-security.xml .bitcoin .electrum .ethereum"],
  [credentials, ".config/solana .bash_history .zsh_history .mylogin.cnf"],
  [startup, ".profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin"],
  [startup, ".zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc"],
  [startup, ".pam_environment .config/fish .config/nushell .config/powershell .config/environment.d .config/autostart"],
  [
    startup,
    ".config/systemd .local/share/systemd .local/share/applications .local/bin bin go/bin library/launchagents"
  ],
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
    ".crontab .forward .procmailrc .rhosts .shosts .k5login .direnvrc .config/direnv .bashrc.d .mailcap .hushlogin .claude .claude.json .codex .gemini .cursor .vscode .mcp.json .oh-my-zsh"
  ]
)

/** Runs of names, folded, below a root. */
export const workspace = table(
  [runsLater, ".github/workflows .github/actions .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci .circleci .buildkite"],
  [runsLater, ".travis.yml jenkinsfile azure-pipelines.yml .azure-pipelines bitbucket-pipelines.yml .drone.yml"],
  [
    runsLater,
    ".woodpecker .woodpecker.yml appveyor.yml .appveyor.yml .cirrus.yml .semaphore .teamcity .gitea/workflows"
  ],
  [runsLater, ".forgejo/workflows buildspec.yml cloudbuild.yaml cloudbuild.yml .gitpod.yml .replit .idx"],
  [
    runsLater,
    ".vscode .idea .fleet .zed .vs .nova .theia .devcontainer .devcontainer.json .vim .vimrc .lvimrc .nvimrc"
  ],
  [runsLater, ".nvim.lua .exrc .dir-locals.el .emacs .tmux.conf .screenrc .ctags .ctags.d .inputrc .psqlrc .sqliterc"],
  [runsLater, ".envrc .direnv .mise .mise.toml mise.toml .mise.local.toml mise.local.toml .config/mise .tool-versions"],
  [runsLater, ".asdfrc .sdkmanrc .rvmrc devbox.json .npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnp.cjs"],
  [runsLater, ".pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bunfig.toml .pypirc pip.conf pip.ini .pip"],
  [runsLater, ".condarc sitecustomize.py usercustomize.py .pythonstartup .bundle/config .gemrc .irbrc .pryrc .rspec"],
  [
    runsLater,
    ".cargo/config .cargo/config.toml .mvn gradle.properties gradle/wrapper .bazelrc .buckconfig nuget.config"
  ],
  [runsLater, ".rprofile .renviron .mcp.json .cursor .cursorrules .claude .claude.json .codex .gemini .opencode"],
  [runsLater, "opencode.json opencode.jsonc .aider.conf.yml .windsurf .windsurfrules .roo .roomodes .roorules .cline"],
  [
    runsLater,
    ".clinerules .continue .kiro .augment .amazonq .junie .goosehints .crush.json crush.json .kilocode .trae"
  ],
  [runsLater, ".qwen .agents .agent agents.md agent.md agents.override.md claude.md claude.local.md gemini.md qwen.md"],
  [runsLater, "warp.md .github/copilot-instructions.md .github/instructions .github/prompts .github/chatmodes"],
  [
    runsLater,
    ".github/agents .husky .githooks .overcommit.yml .lintstagedrc .simple-git-hooks.json .pre-commit-config.yaml"
  ],
  [
    runsLater,
    ".pre-commit-config.yml .pre-commit-hooks.yaml lefthook.yml .lefthook.yml lefthook-local.yml .gitmodules"
  ],
  [runsLater, ".gitattributes .gitconfig .lfsconfig .hgrc .ripgreprc .ackrc .curlrc .wgetrc .bashrc .bash_profile"],
  [runsLater, ".profile .zshrc .zshenv .zprofile .gdbinit .lldbinit"],
  [
    runsLater,
    ".huskyrc .huskyrc.json .huskyrc.js husky.config.js .git-hooks captainhook.json lefthook.yaml lefthook.toml"
  ],
  [runsLater, ".lefthook.yaml lefthook.json lefthook-local.yaml .lintstagedrc.json .lintstagedrc.js .lintstagedrc.mjs"],
  [runsLater, ".lintstagedrc.cjs .lintstagedrc.yml .lintstagedrc.yaml lint-staged.config.js lint-staged.config.mjs"],
  [runsLater, ".envrc.local .prototools uv.toml .bazeliskrc .github/dependabot.yml .woodpecker.yaml .drone.yaml"],
  [runsLater, ".openhands .devin .factory .amp .codeium .rules .aiderignore .aider.model.settings.yml skill.md"],
  [runsLater, ".tabnine .pi .zencoder .warp .sourcegraph .rovodev .github/skills .github/hooks githooks prek.toml"],
  [runsLater, ".tekton .screwdriver screwdriver.yaml bitrise.yml codemagic.yaml .externaltoolbuilders nbproject"],
  [runsLater, ".helix .run .lapce .kakrc .kateproject .kateproject.build .luarc.json .luarc.jsonc .ycm_extra_conf.py"],
  [runsLater, ".dir-locals-2.el .projections.json .local.vimrc .vimrc.local .latexmkrc latexmkrc .watchmanconfig"],
  [runsLater, ".pdbrc .pdbrc.py .rdbgrc .rdbgrc.rb .byebugrc .perldb .radare2rc .iex.exs .ghci .ocamlinit .utoprc"],
  [runsLater, ".pythonrc .pythonrc.py .ipython .jupyter ipython_config.py jupyter_notebook_config.py .octaverc"],
  [
    runsLater,
    "jupyter_server_config.py jupyter_lab_config.py .duckdbrc .mongorc.js .mongoshrc.js .redisclirc .tclshrc"
  ],
  [
    runsLater,
    "gradlew gradlew.bat mvnw mvnw.cmd sbtw millw bazelw pantsw grailsw tools/bazel .sbtopts .jvmopts .sbtrc"
  ],
  [runsLater, "node_modules/.bin vendor/bin .venv/bin .venv/scripts venv/bin venv/scripts env/bin env/scripts .pixi"],
  [runsLater, "pyvenv.cfg .pdm-python .pdm.toml pdm.toml poetry.toml rust-toolchain rust-toolchain.toml .yarn/sdks"],
  [runsLater, "pnpm-workspace.yaml .pnp.data.json .corepack.env .bundle/plugin .yardopts .simplecov .proverc"],
  [
    runsLater,
    ".direnvrc .autoenv .autoenv.zsh .env.leave .shadowenv.d .flox .rtx.toml .mise-tasks mise-tasks mise/config.toml"
  ],
  [
    runsLater,
    ".terraformrc terraform.rc .terraform ansible.cfg .ansible.cfg .docker/cli-plugins .config/dotnet-tools.json"
  ],
  [
    runsLater,
    ".bash_aliases .bash_login .bash_logout .zlogin .zlogout .cshrc .tcshrc .kshrc .config/fish .config/direnv"
  ],
  [runsLater, ".sshrc .tmuxinator.yml .tmuxp.yaml .tmuxp.yml .jjconfig.toml .claude-plugin hooks/hooks.json mcp.json"],
  [runsLater, "gemini-extension.json netlify.toml vercel.json"]
)

/** How folded names end of files that steer programs, at any depth below a root. */
export const steeringSuffixes: ReadonlyArray<string> = ".code-workspace .sublime-project .ipr .iws .pth".split(" ")

/** Settings of `mise` for one environment, e.g. `.mise.production.toml`. */
const miseSettings = /^\.?mise\.[\w.-]*toml$/

/**
 * Whether files of this folded name run or steer a program, whatever comes before their ending: what an editor opens a whole
 * workspace by, and lines that Python runs at each start.
 */
export const steers = (name: string): boolean =>
  miseSettings.test(name) || steeringSuffixes.some((suffix) => name.endsWith(suffix))

/**
 * The names with a dot that NTFS also knows by six letters and a number, by these letters. Those with a second dot keep
 * their ending and are left out.
 */
export const shortNames: ReadonlyMap<string, string> = new Map(
  [...anywhere.keys(), ...home.keys(), ...workspace.keys(), ".env"]
    .map((run) => run.split("/", 1)[0] ?? "")
    .filter((name) => /^\.[^.]+$/.test(name))
    .map((name) => [name.slice(1, 7), name])
)
