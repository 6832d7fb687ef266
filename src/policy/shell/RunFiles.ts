import * as Effect from "effect/Effect"
import * as path from "node:path"
import {
  elsewhere,
  gitHooks,
  interpreters,
  named,
  packages,
  packageSettings,
  runsOthers,
  selfContained,
  settings,
  shells,
  unsettled
} from "./programSettings.ts"
import { shapeOf } from "./Shape.ts"
import { unwrapped, wrappers } from "./Unwrapped.ts"

type Words = ReadonlyArray<string>
/** The text of a file, `null` for one that is not there; absent where nobody knows. */
type Files = { readonly text: (path: string) => Effect.Effect<string | null | undefined> }
/** Absolute paths; absent where something that nobody knows decides as well. */
type Known = Effect.Effect<ReadonlyArray<string> | undefined>

const maxDepth = 6
/** Files that an answer relies on. */
const maxFiles = 96

const unknown: Known = Effect.succeed(undefined)

const all = (parts: ReadonlyArray<Known>): Known =>
  Effect.map(Effect.all(parts), (found) => {
    const files = [...new Set(found.flatMap((part) => part ?? []))]
    return found.includes(undefined) || files.length > maxFiles ? undefined : files
  })

/** The files that decide what commands do, as they are now; absent where that cannot be told, e.g. for a program nobody knows. */
export const runFilesOf = (commands: ReadonlyArray<Words>, directory: string, files: Files): Known =>
  ofList(commands, directory, files, 0)

const ofList = (commands: ReadonlyArray<Words>, directory: string, files: Files, depth: number): Known => {
  if (depth > maxDepth) return unknown
  let place: string | undefined = directory
  const parts: Array<Known> = []
  for (const command of commands) {
    const [name = "", ...args] = command
    if (name === "cd" && args.length === 1 && place !== undefined && /^[^-~]/.test(args[0] ?? "")) {
      place = path.posix.resolve(place, args[0] ?? "")
    } else if (name === "cd" || name === "pushd" || name === "popd") place = undefined
    // Whether the directory was reached, nobody knows; a program that asks no file does not care.
    else parts.push(place === undefined ? unknown : ofOne(command, place, files, depth))
    if (place !== undefined && place !== directory) parts.push(ofOne(command, directory, files, depth))
  }
  return all(parts)
}

const ofOne = (command: Words, directory: string, files: Files, depth: number): Known => {
  const at = (file: string) => path.posix.resolve(directory, file)
  const [first = ""] = command
  if (wrappers.has(first)) {
    if (command.slice(1).some((word) => /^(?:\w+=|-S|--split-string)/.test(word))) return unknown
    return ofOne(unwrapped(command), directory, files, depth + 1)
  }
  const args = command.slice(1)
  if (first === "" || depth > maxDepth) return unknown
  if (first === "cd") return Effect.succeed([])
  if (first.includes("/")) {
    return /^\/(?:usr\/)?s?bin\//.test(first)
      ? ofOne([first.slice(first.lastIndexOf("/") + 1), ...args], directory, files, depth + 1)
      : ofScript(at(first), directory, files, depth)
  }
  if (shells.has(first) || interpreters.has(first)) {
    const [file] = args
    if (file !== undefined && /^[^-]/.test(file) && first !== "deno" && (first !== "bun" || /[./]/.test(file))) {
      return ofScript(at(file), directory, files, depth, first)
    }
    if (!packages.has(first)) return unknown
  }
  if (packages.has(first)) return ofPackage(first, args, directory, files, depth)
  if (first === "npx" || first === "bunx")
    return /^[^-]/.test(args[0] ?? "-") ? ofOne(args, directory, files, depth + 1) : unknown
  if (first === "git") return ofGit(args, directory, files, depth)
  if (first === "make" || first === "gmake" || first === "just") return ofRecipes(first, args, directory, files, depth)
  const told = Object.hasOwn(settings, first) ? settings[first] : undefined
  if (told !== undefined) {
    const odd = Object.hasOwn(unsettled, first) ? unsettled[first] : elsewhere
    if (args.some((arg) => odd?.test(arg))) return unknown
    const manifest = first === "cargo" ? files.text(at("Cargo.toml")) : Effect.succeed("")
    return Effect.map(manifest, (text) =>
      typeof text !== "string" || /^[^\S\r\n\u2028\u2029]*(?:\[workspace|build\s*=)/m.test(text)
        ? undefined
        : told.map(at)
    )
  }
  if (!selfContained.has(first)) return unknown
  const others = Object.hasOwn(runsOthers, first) ? runsOthers[first] : undefined
  return others !== undefined && args.some((arg) => others.test(arg)) ? unknown : Effect.succeed([])
}

const shebang = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.-]+)\s*$/

/** What runs a file by its own word, in a first line that no system would cut. */
const runnerOf = (text: string): string | undefined => {
  const [line = ""] = text.split("\n", 1)
  return line.length > 255 ? undefined : shebang.exec(line)?.[1]
}

/** A file that is run: it and what it names; one in a language that brings in others by name is not known. */
const ofScript = (file: string, directory: string, files: Files, depth: number, by?: string): Known =>
  Effect.flatMap(files.text(file), (text): Known => {
    // What is not there runs nothing, and voids the answer once it is.
    if (text === null) return Effect.succeed([file])
    if (text === undefined) return unknown
    const runs = by ?? runnerOf(text)
    const own: Known = Effect.succeed([file])
    if (runs === undefined) return unknown
    if (shells.has(runs)) {
      const body = text
        .replace(/^#!.*\n/, "")
        .replaceAll(/^[ \t]*(?:#.*)?\n/gm, "")
        .replace(/^[ \t]*set -[euxo pipefail-]+\n/, "")
      if (body.trim() === "") return own
      const { commands, complete } = shapeOf(body)
      return complete ? all([own, ofList(commands, directory, files, depth + 1)]) : unknown
    }
    if (runs.startsWith("python")) {
      const modules = [...text.matchAll(/^[ \t]*(?:import|from)[ \t]+([\w., ]+)/gm)].flatMap(([, list = ""]) =>
        list.split(",").map((name) => name.trim().split(/[ .]/, 1)[0] ?? "")
      )
      const beside = path.posix.dirname(file)
      return /importlib|__import__|exec\(|runpy|^[ \t]*from[ \t]+\./m.test(text)
        ? unknown
        : Effect.succeed([
            file,
            ...modules.flatMap((name) => [`${beside}/${name}.py`, `${beside}/${name}/__init__.py`])
          ])
    }
    return /["'`]\.{1,2}(?:\/|["'`])|\b(?:eval|load|require_relative|import|require)\s*(?:\(\s*)?[^"'\s({]/.test(
      text.replaceAll(/^[^\S\r\n\u2028\u2029]*import\s[^"'`]{0,1000}?from\s+(?=["'])/gm, "")
    )
      ? unknown
      : own
  })

const scriptsOf = (text: unknown): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(typeof text === "string" ? text : "")
    const found = typeof parsed === "object" && parsed !== null && "scripts" in parsed ? parsed.scripts : undefined
    return typeof found === "object" && found !== null ? { ...found } : undefined
  } catch {
    return undefined
  }
}

/** A directory and those above it, the nearest first. */
const upwards = (directory: string): ReadonlyArray<string> => {
  const names = directory.split("/").filter((name) => name !== "")
  return names.map((_, index) => `/${names.slice(0, names.length - index).join("/")}`).slice(0, 8)
}

/** The first of some files that is there, and all that were looked for until then; absent where one is not known. */
const firstText = (candidates: ReadonlyArray<string>, files: Files) =>
  Effect.gen(function* () {
    const passed: Array<string> = []
    for (const at of candidates) {
      const text = yield* files.text(at)
      if (text === undefined) return undefined
      passed.push(at)
      if (text !== null) return { at, passed, text }
    }
    return { at: undefined, passed, text: "" }
  })

const ofPackage = (program: string, args: Words, directory: string, files: Files, depth: number): Known => {
  const [verb = "", given] = args
  const name =
    verb === "run" || verb === "run-script" ? given : named.has(verb) ? verb : program === "npm" ? undefined : verb
  if (name === undefined || !/^[\w:.-]+$/.test(name) || name.startsWith("-")) return unknown
  const above = upwards(directory)
  return Effect.flatMap(
    firstText(
      above.map((place) => path.posix.join(place, "package.json")),
      files
    ),
    (found): Known => {
      if (found === undefined) return unknown
      const { at, passed, text } = found
      const place = at === undefined ? directory : path.posix.dirname(at)
      const told = [
        ...passed,
        ...[directory, place].flatMap((one) => packageSettings.map((file) => path.posix.join(one, file)))
      ]
      if (at === undefined) return Effect.succeed(told)
      const scripts = scriptsOf(text)
      if (scripts === undefined || typeof scripts[name] !== "string") return unknown
      const run = [`pre${name}`, name, `post${name}`].flatMap((key) => {
        const script = Object.hasOwn(scripts, key) ? scripts[key] : undefined
        return typeof script === "string" ? [shapeOf(script)] : []
      })
      return run.every(({ complete }) => complete)
        ? all([Effect.succeed(told), ...run.map(({ commands }) => ofList(commands, place, files, depth + 1))])
        : unknown
    }
  )
}

const ofGit = (args: Words, directory: string, files: Files, depth: number): Known => {
  if ((args[0] ?? "-").startsWith("-")) return unknown
  const at = (file: string) => path.posix.resolve(directory, file)
  return Effect.flatMap(files.text(at(".git/config")), (text): Known => {
    if (
      typeof text !== "string" ||
      /^[^\S\r\n\u2028\u2029]*(?:\[(?:include|alias)|hookspath\s*=\s*(?!\.husky))/im.test(text)
    )
      return unknown
    const hooks = gitHooks.flatMap((hook) => [at(`.git/hooks/${hook}`), at(`.husky/${hook}`)])
    const ran = hooks.map((hook) => ofScript(hook, directory, files, depth + 1, "sh"))
    return all([Effect.succeed([at(".git/config"), at(".gitattributes")]), ...ran])
  })
}

const ofRecipes = (program: string, args: Words, directory: string, files: Files, depth: number): Known => {
  if (args.some((arg) => !/^[\w.-]+$/.test(arg) || arg.startsWith("-"))) return unknown
  const names = program === "just" ? ["justfile", "Justfile", ".justfile"] : ["GNUmakefile", "makefile", "Makefile"]
  const found = names.map((name) => path.posix.resolve(directory, name))
  return Effect.flatMap(
    Effect.forEach(found, (file) => files.text(file)),
    (texts): Known => {
      const read = texts.filter((text) => text !== null)
      if (read.length !== 1 || read.includes(undefined)) return unknown
      const lines = (read[0] ?? "").split("\n")
      if (lines.some((line) => /^\s*-?s?include\b|^\s*(?:import|mod)\b|^\s*SHELL\b|^\s*set\b/.test(line)))
        return unknown
      const recipes = lines.flatMap((line) => (/^[ \t]+\S/.test(line) ? [line.trim().replace(/^[@+-]+/, "")] : []))
      const shapes = recipes.map(shapeOf)
      return shapes.every(({ complete }) => complete)
        ? all([Effect.succeed(found), ...shapes.map(({ commands }) => ofList(commands, directory, files, depth + 1))])
        : unknown
    }
  )
}
