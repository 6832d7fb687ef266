// @effect-diagnostics asyncFunction:off - modules are loaded by name
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck, type Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { tree } from "../src/cli/command/root.ts"
import type { CommandTree } from "../src/cli/Help.ts"

const source = path.resolve(import.meta.dirname, "../src")

const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => path.join(source, file))

/** The typed errors that a file declares, by name. */
const declared = (file: string): ReadonlyArray<string> =>
  [...fs.readFileSync(file, "utf8").matchAll(/class (\w+) extends Schema\.TaggedError/g)].map(([, name = ""]) => name)

const cases = files.flatMap((file) => declared(file).map((name) => [path.relative(source, file), name] as const))

/** What the library has, which knows no command line; frontends, the advice that they share, and the configuration may name it. */
const isLibrary = (file: string): boolean =>
  !/^(?:(?:cli|config|server|browser|mcp|acp|hook)\/|ui\/advice\.ts$)/.test(file)

/** The text of a file without its comments. */
const code = (file: string): string =>
  fs.readFileSync(path.join(source, file), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "")

type Failure = Schema.Schema<Error, unknown>

describe("the message of a typed error", () => {
  it.each(cases)("%s: %s is a sentence for a person (S5)", async (file, name) => {
    const module = (await import(path.join(source, file))) as Readonly<Record<string, Failure>>
    const failure = module[name]
    assert.isDefined(failure, `${name} is not exported`)
    const told = Arbitrary.make(failure!).filter((error) => !Object.values(error).includes(""))
    for (const { message } of FastCheck.sample(told, { numRuns: 25, seed: 7 })) {
      assert.isNotEmpty(message.trim())
      if (isLibrary(file)) assert.notMatch(message, / --[a-z]|\btollgate [a-z]/)
      assert.notMatch(message, /undefined|\[object |Error:|\{ readonly |<->|NaN/)
    }
  })
})

describe("the library", () => {
  const below = (node: CommandTree): ReadonlyArray<string> => Object.keys(node.below ?? {})
  const commands = below(tree).join("|")
  const spoken = new RegExp(
    `\\btollgate (?:${commands})\\b|(?:^|[\\s"'\`])--(?:approve|dangerously-allow-all|log-level|session|continue|profile|param)\\b`,
    "u"
  )
  const library = files
    .map((file) => path.relative(source, file))
    .filter(isLibrary)
    // The options of other programs.
    .filter((file) => !file.startsWith("policy/shell/doing/"))

  it.each(library)("%s speaks of no command and no flag of the command line (T19)", (file) => {
    assert.include(commands, "sessions")
    assert.isNull(spoken.exec(code(file)))
  })
})
