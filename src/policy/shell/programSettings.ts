import { readOnlyCommands } from "./ReadOnlyCommands.ts"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Programs that run nothing that a file of the project says. */
export const selfContained: ReadonlySet<string> = new Set([
  ...Object.keys(readOnlyCommands),
  ...words(`
    touch mkdir rmdir rm cp mv ln chmod chown chgrp install truncate mktemp tee dd sync echo printf true false test [ :
    cat head tail sort uniq cut tr wc seq date sleep ls pwd stat file du df id whoami hostname uname which type dirname
    basename realpath readlink diff cmp comm paste column fold nl od xxd hexdump strings jq yq sed grep egrep fgrep rg fd
    tree tar gzip gunzip zip unzip bzip2 xz zstd openssl sha256sum md5sum shasum base64 curl wget ping dig host nslookup
    ssh scp rsync gh glab aws gcloud az kubectl helm psql mysql sqlite3 redis-cli mongosh kill pkill ps lsof ss netstat
    systemctl journalctl apt apt-get brew dnf yum pacman apk umask ulimit wait
  `)
])

/** Of these, options that name a program to run or a file of settings. */
export const runsOthers: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--to-command|--checkpoint-action|-I|--use-compress-program|--rsh-command|-F|--info-script)/,
  rg: /^--pre/,
  sort: /^--compress-program/,
  fd: /^(?:-x|-X|--exec)/,
  find: /^-(?:exec|ok)/,
  rsync: /^(?:-e|--rsh)/,
  ssh: /^-o/,
  scp: /^-[oS]/,
  sed: /^(?:-f|--file)|(?:^|[;\d/|#,])[gIimp\d]*e(?:[;\s}]|$)/,
  curl: /^(?:-K|--config)/,
  wget: /^--(?:config|use-askpass)/,
  psql: /^(?:-f|--file)/,
  kubectl: /^(?:-f|-k|--filename|--kustomize|exec$)/,
  helm: /^(?:-f|--values|--post-renderer|install|upgrade|template)/,
  sqlite3: /^(?:-init|\.)/
}

const scripts = ["js", "mjs", "cjs", "ts", "mts", "cts"]
const configured = (...names: ReadonlyArray<string>) =>
  names.flatMap((name) => (name.endsWith(".config") ? scripts.map((ending) => `${name}.${ending}`) : [name]))

/** Programs that are told what to do by files of these names in the directory where they run. */
export const settings: Readonly<Record<string, ReadonlyArray<string>>> = {
  vitest: configured("vitest.config", "vite.config", "vitest.workspace.ts", "vitest.workspace.js", "package.json"),
  vite: configured("vite.config", "package.json"),
  jest: configured("jest.config", "jest.config.json", "babel.config", ".babelrc", "package.json"),
  mocha: configured(".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.yml", ".mocharc.yaml", "package.json"),
  eslint: configured("eslint.config", ".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml"),
  prettier: configured(
    "prettier.config",
    ".prettierrc",
    ".prettierrc.js",
    ".prettierrc.json",
    ".prettierrc.mjs",
    "package.json"
  ),
  playwright: configured("playwright.config"),
  rollup: configured("rollup.config"),
  webpack: configured("webpack.config"),
  esbuild: [],
  oxlint: [".oxlintrc.json"],
  biome: ["biome.json", "biome.jsonc"],
  tsc: ["tsconfig.json", "package.json"],
  pytest: words(
    "conftest.py tests/conftest.py test/conftest.py pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini"
  ),
  ruff: words("ruff.toml .ruff.toml pyproject.toml"),
  mypy: words("mypy.ini .mypy.ini pyproject.toml setup.cfg"),
  cargo: words("Cargo.toml build.rs .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml"),
  go: words("go.mod go.work")
}

/** What makes of such a program something that runs others, or that is told by another file. */
export const unsettled: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:-C|--manifest-path|--config)|^\+/,
  go: /^(?:generate|run|tool|-C|-toolexec|-exec|-overlay|-modfile)/,
  tsc: /^(?:-p|--project|-b|--build)/
}
/** The same for any of them. */
export const elsewhere =
  /^(?:-c|--config|--configFile|--root|--rootdir|--dir|--cwd|-r|--require|--import|--setupFiles|-p|--plugin)/

/** Programs that run a script that they are given. */
export const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", ".", "source"])
export const interpreters: ReadonlySet<string> = new Set("node deno tsx python python3 ruby perl php bun".split(" "))
/** Programs that run the scripts of a package, the files that they are told by, and scripts that need no `run`. */
export const packages: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"])
export const packageSettings = words(
  ".npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml node_modules/.hooks"
)
export const named: ReadonlySet<string> = new Set(["test", "start", "stop", "restart"])

/** The hooks that commands of git run. */
export const gitHooks = words(`
  pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge pre-rebase post-rewrite post-checkout
  pre-push applypatch-msg pre-applypatch post-applypatch reference-transaction pre-auto-gc post-index-change
`)
