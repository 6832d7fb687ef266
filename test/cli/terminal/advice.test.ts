// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { tree } from "../../../src/cli/command/root.ts"
import { checked } from "../../../src/cli/commandLine.ts"
import type { CommandTree } from "../../../src/cli/Help.ts"
import { modelAdvice, type RemoteProfile } from "../../../src/cli/modelAdvice.ts"
import { implied } from "../../../src/config/Configuration.ts"
import { setUp } from "../../../src/config/ConfigError.ts"
import { advised } from "../../../src/ui/advice.ts"
import * as ModelError from "../../../src/model/ModelError.ts"
import { ofRefusal } from "../../../src/model/ServerFailure.ts"
import { built } from "../../support/built.ts"
import { type Place, place } from "../command.ts"

const origin = { model: "m", reason: "It is so." }
const errors: ReadonlyArray<ModelError.ModelError> = [
  new ModelError.ModelUnreachable(origin),
  new ModelError.ModelUnauthorized({ ...origin, status: 401 }),
  new ModelError.ModelOverloaded({ ...origin, status: 429 }),
  new ModelError.ModelRejected(origin),
  new ModelError.ModelCut(origin),
  new ModelError.ModelSilent({ model: "m", silenceMillis: 5 }),
  new ModelError.ModelMalformed(origin),
  new ModelError.ModelCrashed({ model: "m" })
]

const chat: RemoteProfile = { provider: "chat-completions", baseUrl: "http://localhost:1/v1", model: "m" }
const profiles: ReadonlyArray<readonly [name: string, profile: RemoteProfile, stored: boolean]> = [
  ["openai", implied.openai, false],
  ["anthropic", implied.anthropic, false],
  ["openai", { ...implied.openai, baseUrl: "http://localhost:1/v1" }, true],
  ["local", chat, true],
  ["keyed", { ...chat, apiKeyVariable: "KEY" }, true]
]

/** What a person puts in the place of capitals and dots. */
const filled = (command: string): string =>
  command
    .replace(/ URL$/, " http://localhost:2/v1")
    .replace(/ NAME$/, " other")
    .replace(/ NAME_OF_A_VARIABLE$/, " SOME_KEY")
    .replace(/…$/, "value")

/** All text of the product that a person may read. */
const texts = (): ReadonlyArray<readonly [file: string, text: string]> => {
  const sources = fs.readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  const docs = fs.readdirSync("docs").filter((name) => name.endsWith(".md"))
  const files = [
    "README.md",
    ...docs.map((name) => path.join("docs", name)),
    ...sources.map((name) => path.join("src", name))
  ]
  return files.map((file) => [file, fs.readFileSync(file, "utf8")])
}

/** The words after `tollgate` as far as they are a command, its options and names in capitals. */
const mentions = /(?<![./\w])tollgate((?: (?:--?[a-z][a-z-]*|[a-z]{2,}|[A-Z]{2,}(?:\.jsonl|\.json)?))+)/g

const problemOf = (said: string): string | undefined => {
  const words = said.trim().split(" ")
  let node: CommandTree = tree
  if (words[0] === "help") return undefined
  const path: Array<string> = []
  for (const word of words) {
    const next: CommandTree | undefined =
      node.below !== undefined && Object.hasOwn(node.below, word) ? node.below[word] : undefined
    if (next === undefined) break
    path.push(word)
    node = next
  }
  if (path.length === 0 && words[0]?.startsWith("-") !== true) return `no command ${words[0]}`
  // Behind the name of a group stands a name in capitals, or the text goes on.
  const plain = node.below === undefined ? [] : words.slice(path.length).filter((word) => !word.startsWith("-"))
  const rest = words
    .slice(path.length)
    .filter((word) => word !== "--help" && !plain.includes(word))
    .map((word) => (word === "SEQ" ? "1" : word))
  // A value may have been left out of what is cut here.
  const tried = [rest, [...rest, "x"]].map((some) => checked(tree, [...path, ...some]))
  return tried.some(Either.isRight) ? undefined : `unknown option in ${said}`
}

describe("the advice of the command line", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!)
  })
  afterEach(() => at.remove())

  it("on a model that does not answer works as it is typed, whatever the profile and the failure (U9)", async () => {
    const script = await built()
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const typed = (command: string) =>
      promisify(execFile)("/bin/sh", ["-ec", `tollgate() { "${process.execPath}" "${script}" "$@"; }; ${command}`], {
        cwd: at.work,
        env: at.env
      })
    const seen = new Set<string>()
    for (const [name, profile, stored] of profiles) {
      for (const command of errors.flatMap((error) => modelAdvice(name, profile, error))) {
        if (seen.has(`${command} ${stored}`)) continue
        seen.add(`${command} ${stored}`)
        fs.writeFileSync(file, JSON.stringify(stored ? { profiles: { [name]: profile } } : {}))
        await typed(filled(command))
      }
    }
    assert.isAbove(seen.size, 8)
    fs.rmSync(file)
    for (const command of setUp) await typed(filled(command))
  })

  it("names only commands and options that there are, in every text of the product (U9)", () => {
    const wrong = texts().flatMap(([file, text]) =>
      [...text.matchAll(mentions)].flatMap(([, said = ""]) => {
        const problem = problemOf(said)
        return problem === undefined ? [] : [`${file}: tollgate${said}: ${problem}`]
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it.each([400, 401, 403, 404, 405, 410, 413, 422, 429, 500, 503, 529])(
    "says what to do next where a server answers HTTP %i (U9)",
    (status) => {
      const origin = { model: "m1", secrets: [] }
      const error = ofRefusal(origin, { status, headers: {}, body: '{"error":{"message":"boom"}}' }, 0)
      const said = advised(error.message, error)
      assert.match(said, new RegExp(String.raw`m1 .*\(HTTP ${status}\): boom\. (?:.+ )?(?:See|.*profile): tollgate `))
    }
  )

  it("says what to do next of every failure of a model, in its own words or by a command (U9)", () => {
    // What a server refuses is in the rows above, and a script says itself what it lacks.
    for (const error of errors.filter(({ _tag }) => _tag !== "ModelRejected"))
      assert.match(advised(error.message, error), /: tollgate |Raise the profile's|See the log/, error._tag)
  })

  it("says what the server said as a sentence, with one full stop (U9)", () => {
    for (const { message } of errors) assert.notMatch(message, /\.\.|[^.]$/)
  })
})
