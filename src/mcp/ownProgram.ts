import * as Either from "effect/Either"
import * as path from "node:path"

type Command = ReadonlyArray<string>

/** A program with what keeps it the same in every directory. */
export interface OwnProgram {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Where it must start; the directory of the session if unset. */
  readonly cwd?: string
}

/** A directory that no project brings files into. */
const nowhere = "/"

/** Programs whose first operand is the file that they run. */
const interpreters = /^(?:node|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|bash|sh|dash|zsh)$/

/** Programs that run what the project around them says. */
const runners = /^(?:npm|pnpm|yarn|bun|uv|poetry|pipenv|make|just|task|cargo|go|dotnet|mvn|gradle|rake|bundle)$/

/** Subcommands that fetch a package and run it, but take one of the project first. */
const fetches = /^(?:pnpx|bunx|pnpm dlx|yarn dlx|bun x)$/

const isRelative = (word: string): boolean => !path.isAbsolute(word)

const namesPlace = (args: Command): boolean => args.some((word) => /^(?:-[^=]*=)?\//.test(word))

/** The first word that is no option, and where it stands. */
const operand = (args: Command): readonly [word: string, at: number] | undefined => {
  const at = args.findIndex((word) => !word.startsWith("-"))
  return at < 0 ? undefined : [args[at]!, at]
}

/** Where the file stands that a command gives an interpreter to run. */
const fileAt = ([file = "", ...args]: Command): number | undefined => {
  const name = path.basename(file)
  const found = interpreters.test(name) ? operand(args) : undefined
  if (found === undefined || args.slice(0, found[1]).some((word) => /^-[cem]$|^--eval$|^-p$/.test(word)))
    return undefined
  const [word, at] = found
  // The subcommands of deno and bun are no files.
  const isFile = !/^(?:deno|bun)$/.test(name) || /[./]/.test(word)
  return isFile && !/^(?:npm|jsr|https?):/.test(word) ? at + 1 : undefined
}

const relativeAt = (command: Command): number | undefined => {
  const [file = ""] = command
  if (file.includes("/") && isRelative(file)) return 0
  const at = fileAt(command)
  return at === undefined || !isRelative(command[at]!) ? undefined : at
}

/** The program of a command, with the file that it runs: what it is given besides is no program. */
export const programOf = (command: Command): readonly [string, ...ReadonlyArray<string>] | undefined => {
  const at = fileAt(command)
  const [first = ""] = command
  if (at !== undefined) return [first, command[at]!]
  return first.includes("/") ? [first] : undefined
}

/** The command with the whole path of the file that it runs. */
export const absolute = (command: Command, directory: string): Command => {
  const at = relativeAt(command)
  return at === undefined ? command : absolute(command.with(at, path.resolve(directory, command[at]!)), directory)
}

/** A command as it was written. */
export const asSaid = ([file = "", ...args]: Command): OwnProgram => ({ file, args, env: {} })

/**
 * The command of a user's server so that it is the same program wherever a session is: what a project brings, in its `node_modules`,
 * its `.npmrc` or under the same relative path, takes its place in none of them. A reason where that cannot be.
 */
export const ownProgram = (command: Command): Either.Either<OwnProgram, string> => {
  const said = asSaid(command)
  const { args, file } = said
  const name = path.basename(file)
  const at = relativeAt(command)
  if (at !== undefined)
    return Either.left(
      `${JSON.stringify(command[at])} is another file in every project; name it by its whole path, or put the server into the .mcp.json of its project`
    )
  const [first = ""] = operand(args) ?? []
  const own = ["--prefix", nowhere]
  const isElsewhere = args.some((word) => /^--prefix(?:=|$)/.test(word))
  if (name === "npx") return Either.right(isElsewhere ? said : { ...said, args: [...own, ...args] })
  if (name === "npm" && /^(?:exec|x)$/.test(first))
    return Either.right(isElsewhere ? said : { ...said, args: [...own, ...args] })
  if (fetches.test(name) || fetches.test(`${name} ${first}`)) return Either.right({ ...said, cwd: nowhere })
  // Of uv, a tool has nothing of the project.
  if (name === "uv" && first === "tool") return Either.right(said)
  if (runners.test(name) && !namesPlace(args))
    return Either.left(
      `${name} runs what the project around it says; name a program by its whole path, or put the server into the .mcp.json of its project`
    )
  return Either.right(
    name.startsWith("python") && args.includes("-m") ? { ...said, env: { PYTHONSAFEPATH: "1" } } : said
  )
}
