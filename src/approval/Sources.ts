import * as path from "node:path"

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

/** Options by which such a program looks elsewhere for that file, and those that name it. */
const elsewhere = /^(?:-C|--prefix|--cwd|--dir|--directory|--rootdir|--project-dir)$/
const instead = /^(?:-f|--file|--makefile|--justfile|--manifest-path|-c|--config)$/

/** Programs that run the file they are given. */
const interpreters = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "node",
  "deno",
  "tsx",
  "python",
  "python3",
  "ruby",
  "perl",
  "php"
])
/** Those of the shell itself, which take any word for a file. */
const readers = new Set([".", "source"])

/** Programs that run the command they are given. */
const wrappers = new Set(["env", "time", "nice", "nohup", "timeout", "command", "exec", "stdbuf", "sudo", "setsid"])

const looksLikeFile = (word: string): boolean => !word.startsWith("-") && /[./]/.test(word)

/** A command without those that only run it. */
export const unwrapped = (command: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!wrappers.has(command[0] ?? "")) return command
  const own = command.findIndex((word, index) => index > 0 && !/^(?:-.*|\w+=.*|\d[\d.]*[smhd]?)$/s.test(word))
  return own === -1 ? [] : unwrapped(command.slice(own))
}

/** The values of options, as `--dir x` or `--dir=x`. */
const valuesOf = (args: ReadonlyArray<string>, option: RegExp): ReadonlyArray<string> =>
  args.flatMap((word, index) => {
    const [name = "", value] = word.split(/=(.*)/s)
    const given = value ?? args[index + 1]
    return option.test(name) && given !== undefined ? [given] : []
  })

const ofOne = ([name = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = runners[name]
  if (listed !== undefined) {
    const there = valuesOf(args, elsewhere).flatMap((directory) =>
      listed.map((file) => path.posix.join(directory, file))
    )
    return [...listed, ...there, ...valuesOf(args, instead)]
  }
  if (readers.has(name)) return args.slice(0, 1)
  if (interpreters.has(name)) return args.filter(looksLikeFile).slice(0, 4)
  return name.includes("/") ? [name] : []
}

/** Directories that a list of commands may have gone to. */
const maxPlaces = 8

/** The files that say what commands do, as far as that can be told from their words: a seatbelt, not a proof. */
export const sourcesOf = (
  commands: ReadonlyArray<ReadonlyArray<string>>,
  resolve: (file: string) => string
): ReadonlyArray<string> => {
  let places: ReadonlyArray<string> = [""]
  const found = commands.map(unwrapped).flatMap(([name, ...args]) => {
    if (name === "cd" || name === "pushd") {
      const [to] = args.filter((word) => !word.startsWith("-"))
      // Whether it got there, nobody knows: both places count.
      if (to !== undefined) places = [...places, ...places.map((from) => join(from, to))].slice(0, maxPlaces)
      return []
    }
    return ofOne([name ?? "", ...args]).flatMap((file) => places.map((place) => join(place, file)))
  })
  return [...new Set(found.map(resolve))]
}

const join = (directory: string, file: string): string =>
  directory === "" || file.startsWith("/") ? file : path.posix.join(directory, file)
