import * as Either from "effect/Either"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { TextDecoder } from "node:util"
import { systemReason } from "../system/errno.ts"
import { splitWords } from "../text/splitWords.ts"

/** A slash command that a Markdown file says: what stands below its front matter is the prompt. */
export interface CommandFile {
  /** Without the slash; the file's own name. */
  readonly name: string
  readonly file: string
  readonly description?: string
  /** Its arguments as help shows them. */
  readonly arguments?: string
  readonly template: string
}

/** The commands of a directory. */
export interface CommandFiles {
  readonly commands: ReadonlyArray<CommandFile>
  /** Files that do not count, and why. */
  readonly problems: ReadonlyArray<string>
  /** SHA-256 of the names and bytes of the commands, in hexadecimal; unset where there are none. */
  readonly digest?: string
}

/** Files of one directory, and bytes of one file. */
const limits = { files: 50, size: 32 * 1024 }

/** The directory beside a configuration. */
export const below = (configuration: string): string => path.join(path.dirname(configuration), "commands")

const extension = ".md"
const name = /^[a-z][a-z0-9_-]{0,39}$/

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Bytes of a plain file, no link, and no more than count. */
const bytesOf = (file: string): Buffer | string => {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW)
  try {
    const found = fs.fstatSync(descriptor)
    if (!found.isFile()) return "it is not a plain file"
    if (found.size > limits.size) return `it has ${found.size} bytes; the limit is ${limits.size}`
    return fs.readFileSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

const keys = { description: "description", arguments: "arguments", "argument-hint": "arguments" } as const

const isKey = (key: string): key is keyof typeof keys => Object.hasOwn(keys, key)

/** A value of the front matter, of one line, perhaps in quotes. */
const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** The front matter, which has a key and its value in each line, and what stands below it. */
const parsed = (text: string): Pick<CommandFile, "description" | "arguments" | "template"> | string => {
  const [, front, template = ""] = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n([^]*))?$/.exec(text) ?? [
    undefined,
    undefined,
    text
  ]
  const given: { description?: string; arguments?: string } = {}
  for (const line of front?.split("\n") ?? []) {
    if (line.trim() === "") continue
    const [, key = "", value = ""] = /^([\w-]+):(.*)$/.exec(line) ?? []
    if (!isKey(key)) {
      return `expected description or arguments in its front matter, found ${JSON.stringify(key === "" ? line : key)}`
    }
    given[keys[key]] = unquoted(value.trim())
  }
  return template.trim() === "" ? "it has no text for the model" : { ...given, template: template.trim() }
}

const none: CommandFiles = { commands: [], problems: [] }

/** The commands of a directory, in the order of their names. */
export const read = (directory: string): CommandFiles => {
  const commands: Array<CommandFile> = []
  const problems: Array<string> = []
  const digest = crypto.createHash("sha256")
  try {
    const found = fs.lstatSync(directory, { throwIfNoEntry: false })
    if (found === undefined) return none
    if (!found.isDirectory()) return { ...none, problems: [`${directory} is not a directory`] }
    const names = fs
      .readdirSync(directory)
      .filter((one) => one.endsWith(extension))
      .toSorted()
    if (names.length > limits.files) {
      problems.push(`${directory} has ${names.length} commands; the first ${limits.files} count`)
    }
    for (const one of names.slice(0, limits.files)) {
      const file = path.join(directory, one)
      const called = one.slice(0, -extension.length)
      if (!name.test(called)) {
        problems.push(`${file}: name it with up to 40 of a-z, 0-9, _ and -, a letter first`)
        continue
      }
      try {
        const bytes = bytesOf(file)
        const text = typeof bytes === "string" ? undefined : decoder.decode(bytes).replaceAll("\r\n", "\n")
        const command = typeof bytes === "string" ? bytes : parsed(text ?? "")
        if (typeof command === "string") {
          problems.push(`${file}: ${command}`)
          continue
        }
        digest.update(`${JSON.stringify([called, bytes.length])}\n`).update(bytes)
        commands.push({ name: called, file, ...command })
      } catch (error) {
        problems.push(`${file}: ${error instanceof TypeError ? "it is not UTF-8" : systemReason(error)}`)
      }
    }
  } catch (error) {
    problems.push(`${directory}: ${systemReason(error)}`)
  }
  return { commands, problems, ...(commands.length === 0 ? {} : { digest: digest.digest("hex") }) }
}

/** Characters of a prompt that a template makes. */
export const longest = 1024 * 1024

const placeholder = /\\\$|\$(ARGUMENTS\b|[1-9])/g

/** The words of a line; quotes hold one together where each has its end. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  Either.getOrElse(splitWords(line), () => line.split(/\s+/u).filter((word) => word !== ""))

/**
 * A template with its arguments: all of them for `$ARGUMENTS`, one for each of `$1` to `$9`, and `$` for `\$`. A template without
 * places for them has them behind it. Nothing where the text grows beyond bounds.
 */
export const filled = (template: string, given: string): string | undefined => {
  const words = wordsOf(given)
  const places = [...template.matchAll(placeholder)].filter(([, name]) => name !== undefined)
  if (template.length + Math.max(1, places.length) * given.length > longest) return undefined
  if (places.length === 0 && given !== "") return `${template.replace(placeholder, "$$")}\n\n${given}`
  return template.replace(placeholder, (_, name?: string) =>
    name === undefined ? "$" : name === "ARGUMENTS" ? given : (words[Number(name) - 1] ?? "")
  )
}
