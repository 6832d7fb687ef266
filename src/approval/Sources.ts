/** Programs whose subcommands are written in a file of the project. */
const runners: Readonly<Record<string, ReadonlyArray<string>>> = {
  npm: ["package.json"],
  npx: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile"],
  cargo: ["Cargo.toml", "build.rs"],
  gradle: ["build.gradle", "build.gradle.kts"],
  mvn: ["pom.xml"],
  tox: ["tox.ini", "pyproject.toml"],
  pytest: ["conftest.py", "pyproject.toml"]
}

/** Programs that run the file they are given. */
const interpreters = new Set(["sh", "bash", "dash", "zsh", "node", "deno", "python", "python3", "ruby", "perl", "php"])

const looksLikeFile = (word: string): boolean => !word.startsWith("-") && /[./]/.test(word)

const ofOne = ([name = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = runners[name]
  if (listed !== undefined) return listed
  if (interpreters.has(name)) return args.filter(looksLikeFile).slice(0, 4)
  return name.includes("/") ? [name] : []
}

/** The files that say what commands do, as far as that can be told from their words: a seatbelt, not a proof. */
export const sourcesOf = (
  commands: ReadonlyArray<ReadonlyArray<string>>,
  resolve: (file: string) => string
): ReadonlyArray<string> => [...new Set(commands.flatMap(ofOne).map(resolve))]
