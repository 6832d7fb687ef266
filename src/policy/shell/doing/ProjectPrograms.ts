const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Programs that build, check, test or start what a project has, and run its code in doing so. */
export const projectPrograms: ReadonlySet<string> = words(`
  npm pnpm yarn bun corepack turbo nx lerna
  tsc tsx ts-node vitest vite jest mocha ava tap c8 nyc eslint prettier oxlint biome stylelint playwright cypress rollup webpack esbuild
  swc parcel next nuxt astro svelte-check vue-tsc ng storybook knip madge depcheck syncpack changeset commitlint husky lint-staged
  typedoc tsd tsup
  cargo rustc rustfmt rustup go gofmt golangci-lint staticcheck
  python python2 python3 pytest pip pip3 uv poetry pipenv tox nox ruff mypy pyright black isort flake8 pylint coverage alembic
  make gmake cmake ctest ninja meson bazel just task gcc g++ cc clang clang++ ld ar
  mvn mvnw gradle gradlew javac java kotlinc sbt ant dotnet msbuild
  node deno ruby bundle rake rspec rubocop rails gem php composer phpunit phpstan pint
  swift xcodebuild xcrun pod flutter dart elixir mix iex perl prove lua luac ghc cabal stack zig
  terraform tofu helm kubectl docker docker-compose podman
  gh act pre-commit tree-sitter protoc buf sqlc prisma drizzle-kit hugo mkdocs
  sh bash dash zsh . source
`)

const pip = /^(?:install|uninstall|list|show|freeze|check|download|wheel|index|inspect|hash|cache|debug|help)$/

/** Subcommands of these without which they may publish, sign in, deploy or run anything. */
export const projectVerbs: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|t|tst|start|stop|restart|run|run-script|install|i|add|ci|ls|list|la|ll|outdated|view|info|why|explain|audit|dedupe|prune|uninstall|rm|remove|update|up|upgrade|version|root|prefix|bin|help|fund|pack|doctor|query|search|ping|rebuild|pkg)$/,
  docker:
    /^(?:ps|images|image|build|buildx|compose|logs|inspect|run|exec|start|stop|restart|pull|version|info|top|stats|port|network|volume|container|context|tag|history|events|diff|wait|create|attach)$/,
  "docker-compose": /^(?:up|down|ps|logs|build|start|stop|restart|exec|run|config|pull|top|images)$/,
  podman: /^(?:ps|images|build|logs|inspect|run|exec|start|stop|restart|pull|version|info|top)$/,
  kubectl:
    /^(?:get|describe|logs|top|explain|version|config|cluster-info|api-resources|apply|diff|rollout|wait|delete)$/,
  helm: /^(?:list|ls|status|template|lint|show|search|version|get|history|dependency)$/,
  terraform: /^(?:plan|validate|fmt|init|show|output|version|providers|graph|state|workspace)$/,
  tofu: /^(?:plan|validate|fmt|init|show|output|version|providers|graph|state|workspace)$/,
  gh: /^(?:pr|issue|run|repo|release|workflow|status|search|browse|label|cache|version)$/,
  cargo:
    /^(?:build|b|check|c|test|t|run|r|clippy|fmt|doc|d|bench|tree|update|add|remove|clean|new|init|metadata|search|nextest|expand|fix|version|fetch|vendor|audit|deny|machete|outdated|install)$/,
  go: /^(?:build|test|vet|fmt|run|mod|get|list|doc|env|version|install|clean|work|tool)$/,
  deno: /^(?:test|lint|fmt|check|run|task|bench|doc|info|cache|install|add|compile)$/,
  bun: /^(?:test|run|install|i|add|remove|rm|update|build|pm|outdated|init|create|link|ci|[\w:][\w:.-]*)$/,
  gem: /^(?:list|install|search|info|env|outdated|update|query|which)$/,
  bazel: /^(?:build|test|run|query|cquery|aquery|coverage|fetch|info|version|clean)$/,
  pip,
  pip3: pip,
  dotnet: /^(?:build|test|run|restore|clean|format|list|add|remove|new|sln|tool|watch|publish|pack|--info)$/
}

/** Interpreters whose first operand is a file that they run, with the options that change nothing of that. */
export const interpreters: ReadonlyMap<string, RegExp> = new Map([
  [
    "node",
    /^--(?:test(?:-[\w-]+)?|watch|enable-source-maps|no-warnings|experimental-(?:strip-types|transform-types|sqlite|vm-modules|test-\w+)|trace-(?:warnings|uncaught|deprecation)|max-old-space-size|stack-trace-limit|check|unhandled-rejections|expose-gc|disable-warning)(?:=[\w.:/*-]*)?$|^-c$/
  ],
  ["python", /^-(?:[uBOsSEvqbI]+|W[\w:]*|X[\w=]*)$/],
  ["ruby", /^-(?:w|c|W\d?)$|^--(?:yjit|enable[=-][\w-]+)$/],
  ["perl", /^-(?:w|c|T|W)+$/],
  ["php", /^-(?:l|n)$/],
  ["lua", /^-W$/],
  ["deno", /^--(?:allow-read|no-check|quiet)(?:=[\w./-]*)?$/],
  ["java", /^-(?:jar|ea|Xm[xsn]\w+|X\w+:?\w*)$/],
  ["shell", /^-[euxn]+$|^-[eux]*o$|^--(?:posix|norc|noprofile)$/],
  ["tsx", /^--(?:test|no-cache|watch)$/],
  ["elixir", /^$/],
  ["swift", /^$/],
  ["dart", /^$/]
])

/** Flags of these that stand before another short option in one word, as in `-itv`. */
const ofContainers = /^(-[aditqPT]+)([evwuplhmcft].*)$/s
const bundled: Readonly<Record<string, RegExp>> = {
  docker: ofContainers,
  podman: ofContainers,
  "docker-compose": ofContainers,
  kubectl: /^(-[ARwit]+)([fnolkcp].*)$/s,
  gh: /^(-[cdfvw]+)([LRqt].*)$/s
}

/** A word as the options that it is. */
export const unbundled = (name: string, value: string): ReadonlyArray<string> => {
  const [, flags, rest] = (Object.hasOwn(bundled, name) ? bundled[name]!.exec(value) : null) ?? []
  return flags === undefined || rest === undefined ? [value] : [flags, `-${rest}`]
}

/** Which of them a program is, by its name. */
export const interpreterOf = (name: string): string | undefined => {
  if (/^(?:ba|da|z)?sh$|^\.$|^source$/.test(name)) return "shell"
  if (name === "ts-node") return "tsx"
  const base = name.replace(/[\d.]+$/, "")
  return interpreters.has(base) && base !== "deno" && base !== "swift" && base !== "dart" ? base : undefined
}

/** Modules that `python -m` runs as the programs that they are. */
export const pythonModules: ReadonlySet<string> = words(
  "pytest unittest pip venv mypy ruff black isort flake8 pylint coverage build compileall http.server json.tool doctest py_compile tox nox pyright"
)

/** Programs that start another one of a project. */
export const projectStarters: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:exec|x)$/],
  ["pnpm", /^(?:exec|dlx)$/],
  ["yarn", /^(?:exec|dlx)$/],
  ["bun", /^x$/],
  ["uv", /^run$/],
  ["poetry", /^run$/],
  ["pipenv", /^run$/],
  ["bundle", /^exec$/]
])

/** Words that make these start what is not known by its name. */
export const startsUnknown: ReadonlyMap<string, string> = new Map([
  ["pnpm", "create"],
  ["yarn", "create"],
  ["bun", "create"],
  ["uv", "tool"]
])

/** Goals of Maven that stay in the project and its caches. */
const goals =
  /^(?:clean|validate|initialize|(?:generate|process)-(?:test-)?(?:sources|resources|classes)|compile|test-compile|test|prepare-package|package|(?:pre-|post-)?integration-test|verify|install|dependency:(?:tree|list|resolve|analyze)|help:(?:help|describe|effective-pom|evaluate|active-profiles|all-profiles)|versions:display-\S+)$/

const goalValue = /^(?:-pl|--projects|-T|--threads|-P|--activate-profiles|-f|--file|-rf|--resume-from|-b|--builder)$/

/** Whether a program is given only goals that are known; another one has none. */
export const hasKnownGoals = (name: string, args: ReadonlyArray<string>): boolean =>
  !/^mvnw?$/.test(name) ||
  args.every((arg, index) => arg.startsWith("-") || goalValue.test(args[index - 1] ?? "") || goals.test(arg))

interface Scope {
  readonly option: RegExp
  /** What the word behind it is; none where the option stands alone. */
  readonly value?: RegExp
  /** Only with these verbs. */
  readonly verbs?: RegExp
}

const namespace: Scope = { option: /^(?:-n|--namespace)$/, value: /^[a-z\d][a-z\d-]*$/ }

/** Options of these programs by which they do the same with another one of their things, and nothing else. */
const scopes: Readonly<Record<string, Scope>> = {
  kubectl: namespace,
  helm: namespace,
  npm: { option: /^(?:-w|--workspace)$/, value: /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/ },
  gh: {
    option: /^(?:-R|--repo)$/,
    value: /^[\w-][\w.-]*\/[\w-][\w.-]*$/,
    verbs: /^(?:pr|issue|run|release|workflow|label) (?:list|ls|view|status|diff|checks)\b/
  },
  cargo: { option: /^\+(?:stable|beta|nightly(?:-\d{4}-\d\d-\d\d)?|1\.\d+(?:\.\d+)?)$/ }
}

/** The words of a program without those that only say with which of its things it does what the others say. */
export const unscoped = <Word extends { readonly value: string }>(
  name: string,
  args: ReadonlyArray<Word>
): ReadonlyArray<Word> => {
  const scope = Object.hasOwn(scopes, name) ? scopes[name] : undefined
  if (scope === undefined) return args
  const { option, value, verbs } = scope
  const at = args.findIndex((arg) => option.test(arg.value))
  // Behind an option it may be the value of that.
  if (at < 0 || args[at - 1]?.value.startsWith("-") === true) return args
  if (value !== undefined && !value.test(args[at + 1]?.value ?? "")) return args
  const rest = args.toSpliced(at, value === undefined ? 1 : 2)
  return verbs === undefined || verbs.test(rest.map((arg) => arg.value).join(" ")) ? rest : args
}

/** The jq filter that a word of a program is, or holds behind its option. */
export const filterIn = (name: string, before: string, value: string): string | undefined =>
  name !== "gh" ? undefined : /^(?:-q|--jq)$/.test(before) ? value : /^(?:--jq=|-q=?)(.+)$/s.exec(value)?.[1]

/** Options that name a program, a shell or code to run or to load, whatever program has them. */
export const runningOption =
  /^-{1,2}(?:[\w-]*(?:shell|exec|command|cmd|eval|program|launcher|wrapper|interpreter|loader|preload|import|require|toolexec|editor|askpass|upload-pack|receive-pack|proxy-command|post-renderer|kubeconfig|privileged|cap-add|device|security-opt|pid|userns|mount|volumes-from|env-file|node-options)[\w-]*)(?:=|$)/i

const gradle = /^-(?:I|D|P)|^--(?:init-script|project-prop|system-prop|include-build)/

const maven =
  /^-(?:D(?!(?:skipTests|skipITs|maven\.test\.skip|test|groups|failIfNoTests)(?:=|$))|s|gs|t|gt)|^--(?:define|(?:global-)?(?:settings|toolchains))/

/** The second shows what is known to it, the environment included. */
const making = /^-[EI]|^--(?:eval|include-dir)|^-[a-oq-zA-Z]*p|^--print-data-base/

const compiling = /^-(?:wrapper|B|fplugin|fpass-plugin|-?specs|fuse-ld|X)|^@/

/** Short options of these programs that do so. */
export const runningLetters: Readonly<Record<string, RegExp>> = {
  node: /^-[epr]/,
  mocha: /^-r/,
  make: making,
  gmake: making,
  go: /^--?(?:exec|toolexec|overlay|ldflags|gccgoflags|gcflags|asmflags|vettool|modfile)|^--?w(?:=|$)/,
  cargo: /^(?:\+|-Z|--config)/,
  pytest: /^-p|^-o|^--(?:pdbcls|override-ini)/,
  rustc: /^-(?:C|Z)|linker/,
  gcc: compiling,
  "g++": compiling,
  cc: compiling,
  clang: compiling,
  "clang++": compiling,
  ld: /^-?-plugin|^@/,
  ar: /^-?-plugin|^@/,
  just: /^-c$/,
  meson: /^devenv$/,
  rustup: /^(?:run|self)$/,
  tox: /^(?:-x|--override|exec|e)/,
  nx: /^exec$/,
  lerna: /^exec$/,
  protoc: /^--plugin/,
  "pre-commit": /^try-repo$/,
  javac: /^-J|^-processor|^@/,
  pylint: /^--load-plugins|^--init-hook/,
  prove: /^-[a-z]*e/,
  poetry: /^self$/,
  prisma: /^--stdin$/,
  cmake: /^-[PED]|^--(?:build-and-test)/,
  ctest: /^-S/,
  mvn: maven,
  mvnw: maven,
  bazel:
    /^-(?!(?:[cks]|-(?:config|compilation_mode|test_(?:output|filter|tag_filters|timeout)|jobs|keep_going|verbose_failures|(?:no)?cache_test_results|(?:no)?show_progress|curses|color|local_test_jobs|runs_per_test|build_tests_only))(?:=|$))/,
  kubectl: /^-s|^--(?:server|insecure-skip-tls-verify|tls-server-name|profile-output|cache-dir)/,
  helm: /^--kube-(?:apiserver|insecure-skip-tls-verify|tls-server-name|ca-file)/,
  gradle,
  gradlew: gradle,
  pip: /^(?:--(?:index-url|extra-index-url|find-links|trusted-host))$|^-i$/,
  pip3: /^(?:--(?:index-url|extra-index-url|find-links|trusted-host))$|^-i$/,
  gh: /^api$/,
  bun: /^-[epr]|^--print/,
  swift: /^-e/,
  ghc: /^-(?:e|pgm|F$)/,
  mix: /^-[er]$|^(?:eval|rpc|cmd)$/,
  iex: /^-[erS]/,
  stack: /^(?:exec|eval|runghc|runhaskell|ghci|repl|script)$/,
  cabal: /^(?:exec|repl)$/,
  rails: /^(?:runner|r)$/,
  "manage.py": /^(?:-c|shell(?:_plus)?)$/,
  docker: /^-H|^--(?:host|context|(?:net(?:work)?|ipc|uts|cgroupns)=(?:host|container:))/,
  podman: /^--(?:net(?:work)?|ipc|uts|cgroupns)=(?:host|container:)/,
  rake: /^-[eEpr]/,
  terraform: /^-(?:chdir|backend-config|plugin-dir|force-copy|migrate-state)/,
  tofu: /^-(?:chdir|backend-config|plugin-dir|force-copy|migrate-state)/
}

/** Programs whose words are about places in a container or on a server, but for the values of these options. */
export const elsewhere: Readonly<Record<string, RegExp>> = Object.fromEntries(
  "docker docker-compose podman kubectl helm gh"
    .split(" ")
    .map((name) => [
      name,
      /^(?:-[vfoODk]|--(?:volume|file|filename|values|output|build-context|body-file|dir|cidfile|iidfile|metadata-file|project-directory|kustomize|output-dir|output-directory|destination))$/
    ])
)

/** Programs that take from their input for `-` what they run. */
export const takesInput = /^(?:g?make|just|task|rake|ninja|docker|podman|docker-compose|kubectl|deno|bun)$/

/** Options whose value is a place that is written, whatever program has them. */
export const outputOption =
  /^(?:-[odOD]|-MF|--dir|--(?:cid|iid|metadata-)file|--output-directory|-(?:cover|cpu|mem|block|mutex)profile|--?[\w-]*out(?:[-_]?(?:put|file|dir|path))*|--?[\w-]*output(?:[-_]?(?:file|dir|path))?|--?declarationDir|--?tsBuildInfoFile|--dist(?:[-_]?dir)?|--dest(?:ination)?|--(?:target|build|cache)-dir|--basetemp|--junit-?xml|--log-file)$/i

/** Options of these programs whose value is a text, blanks and all; of another program each may be a flag. */
const textOptions: ReadonlyArray<readonly [names: string, options: RegExp]> = [
  ["vitest jest", /^(?:-t|--testNamePattern)$/],
  ["mocha playwright", /^(?:-g|-f|--grep|--fgrep|--grep-invert)$/],
  ["pytest", /^-[km]$/],
  ["go", /^-(?:run|bench|skip|fuzz)$/],
  ["node", /^--test-(?:name|skip)-pattern$/],
  ["gh", /^(?:-[tbS]|--(?:json|title|body|search|template))$/],
  ["docker podman", /^--(?:format|filter)$/],
  ["kubectl helm", /^--template$/],
  ["pnpm turbo", /^--filter$/],
  ["npm alembic", /^(?:-m|--message)$/],
  ["phpunit dotnet swift deno", /^--filter$/],
  ["bun", /^(?:-t|--test-name-pattern|--filter)$/]
]

/** Of what a script of a project starts, behind `--`. */
const ofScripts = /^(?:-[tgkm]|--(?:grep|fgrep|testNamePattern|test-name-pattern|title|filter))$/

const byName: ReadonlyMap<string, RegExp> = new Map(
  textOptions.flatMap(([names, options]) => names.split(" ").map((name) => [name, options] as const))
)

/** Whether the value of an option of a program is a text. */
export const takesText = (name: string, option: string): boolean => byName.get(name)?.test(option) === true

/** Whether the value behind that word is a text of what a script of the project starts. */
export const takesScriptText = (name: string, args: ReadonlyArray<string>, at: number): boolean => {
  const end = args.indexOf("--")
  const verb = args.find((arg) => !arg.startsWith("-"))
  return (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) &&
    /^(?:test|t|tst|run|run-script|start)$/.test(verb ?? "") &&
    end >= 0 &&
    at > end &&
    ofScripts.test(args[at] ?? "")
  )
}
