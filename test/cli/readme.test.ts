// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { exitCodeOf, exitCodes } from "../../src/cli/Outcome.ts"
import { tools } from "../../src/tools/Builtin.ts"
import { keys } from "../../src/config/Settings.ts"
import { built } from "../support/built.ts"
import { png } from "../support/pictures.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

const readme = ["README.md", "docs/terminal.md", "docs/sessions.md", "docs/configuration.md"]
  .map((file) => fs.readFileSync(file, "utf8"))
  .join("\n")

const blocks = (language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text)

/** The block that shows how something is written; there is one. */
const sample = (language: string, has: string): string => {
  const [found, ...others] = blocks(language).filter((text) => text.includes(has))
  assert.isTrue(found !== undefined && others.length === 0, has)
  return found!
}

describe("what the README says of the command line", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("runs as it stands, each command with what a newcomer has (U9)", async () => {
    const test = { provider: "scripted", script: path.join(at.home, "script.json"), maxAttempts: 1, images: true }
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }], { profiles: { test } })
    fs.writeFileSync(path.join(at.work, "a.png"), png(2, 2))
    assert.strictEqual((await tollgate(at, ["run", "hello"])).code, 0)
    const [id = ""] = (await tollgate(at, ["sessions", "list"])).stdout.split(" ")
    fs.writeFileSync(path.join(at.work, "FILE.json"), sample("json", '"expected"'))
    fs.writeFileSync(path.join(at.work, "FILE.jsonl"), (await tollgate(at, ["events", id, "--jsonl"])).stdout)
    const script = await built()
    const ended = (command: string) =>
      new Promise<readonly [code: number | null, said: string]>((resolve) => {
        const whole = `tollgate() { "${process.execPath}" "${script}" "$@"; }; ${command}`
        const child = spawn("/bin/sh", ["-c", whole], { cwd: at.work, env: at.env, stdio: ["ignore", "pipe", "pipe"] })
        let said = ""
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (text) => (said += text))
        child.on("close", (code) => resolve([code, said]))
      })
    const commands = sample("sh", "tollgate sessions list")
      .split("\n")
      .map((line) => line.replace(/ +#.*$/, ""))
      .filter((line) => line.startsWith("tollgate"))
    assert.isAbove(commands.length, 18)
    const needsTerminal = /^tollgate(?: configure| --continue| --resume)?$/
    for (const command of commands) {
      // Nobody serves that model here.
      if (command === "tollgate doctor") await ended("tollgate config unset profiles.local")
      // Following and serving end with who follows and who serves.
      const typed = command
        .replace(" --follow", "")
        .replace(/^(tollgate serve) .*/, "$1 --help")
        .replace(" ID", ` ${id}`)
        .replace(" SEQ", " 2")
        .replace("…", '"say hello"')
      const [code, said] = await ended(typed)
      const expected = needsTerminal.test(command)
        ? exitCodes.usage
        : // Each asks first, and nobody is there.
          /^tollgate (?:tool|sessions rewind) /.test(command)
          ? exitCodes.denied
          : // Nothing waits.
            command.startsWith("tollgate approvals answer ")
            ? exitCodes.failed
            : exitCodes.ok
      assert.strictEqual(code, expected, `${typed}\n${said}`)
    }
  })

  it("is a configuration that counts, with keys that there are (U9)", async () => {
    const settings = JSON.parse(sample("json", '"approvals"')) as object
    scripted(at, [], settings)
    const shown = await tollgate(at, ["config"])
    assert.strictEqual(shown.code, 0, shown.stderr + shown.stdout)
    for (const name of Object.keys(settings)) assert.include(shown.stdout, name)
    const rules = await tollgate(at, ["approvals", "rules"])
    assert.include(rules.stdout, "no-keys")
    const rows = [...readme.matchAll(/^\| `((?:network|sandbox)\.\w+)` +\|.*\| +(\S.*?)? +\|$/gm)]
    assert.isAbove(rows.length, 8)
    for (const [, name, fallback = ""] of rows) {
      const key = keys.find((one) => one.name === name)
      assert.isDefined(key, name)
      if (fallback.startsWith("`")) assert.strictEqual(fallback, `\`${String(key?.fallback)}\``)
    }
  })

  it("names the tools and the exit codes that there are (U9)", () => {
    const [, list = ""] = /^The built-in tools: ([^]*?)\n\n/m.exec(readme) ?? []
    for (const { name } of tools) assert.match(list, new RegExp(`\\b${name}\\b`))
    const [, codes = ""] = /^Exit codes: ([^]*?)\. State/m.exec(readme) ?? []
    const signals = ["SIGTERM", "SIGQUIT", "SIGHUP"] as const
    const all = [...Object.values(exitCodes), ...signals.map(exitCodeOf)]
    assert.deepStrictEqual(
      [...codes.matchAll(/\d+/g)].map(([code]) => Number(code)).sort((a, b) => a - b),
      [...all].sort((a, b) => a - b)
    )
  })
})
