// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterAll, assert, describe, it } from "vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { setups } from "../../src/hook/install/Setup.ts"
import { place, type Place, shell, tollgate } from "../cli/command.ts"
import { meaning, shellPayload } from "./support.ts"

const places: Array<Place> = []
const one = (): Place => {
  const made = place()
  fs.mkdirSync(path.join(made.work, ".git"))
  places.push(made)
  return made
}
afterAll(() => places.forEach(({ remove }) => remove()))

describe("tollgate hook", () => {
  it("ends with 2 for an agent that it does not know, and says which it knows (X5)", async () => {
    for (const name of ["clade", "instal", "Claude", "x".repeat(300)]) {
      const at = one()
      const { code, stderr, stdout } = await tollgate(
        at,
        ["hook", name],
        JSON.stringify(shellPayload("claude", "npm test", at.work))
      )
      assert.strictEqual(code, 2, name)
      assert.strictEqual(stdout, "")
      if (/^[a-z]+$/.test(name)) assert.match(stderr, /claude, codex, gemini, qwen, copilot, opencode, cursor/)
    }
  })

  it("is installed for the files that the installation was made with (X5)", async () => {
    const at = one()
    const rules = [{ id: "no", decision: "deny", tool: "run_shell", argv: ["npm"] }]
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
    fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), JSON.stringify({ approvals: { rules } }))
    const run = (...args: ReadonlyArray<string>) => tollgate(at, ["hook", ...args])
    for (const [name, file] of [
      ["claude", ".claude/settings.json"],
      ["gemini", ".gemini/settings.json"]
    ] as const) {
      const { code, stderr } = await run("install", name, "--yes")
      assert.strictEqual(code, 0, stderr)
      const [, command = ""] =
        /"command": "((?:[^"\\]|\\.)*)"/.exec(fs.readFileSync(path.join(at.home, file), "utf8")) ?? []
      const payload = JSON.stringify(shellPayload(name, "npm test", at.work))
      const nowhere = { TOLLGATE_HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined }
      const installed = await shell(at, JSON.parse(`"${command}"`), payload, nowhere)
      assert.strictEqual(meaning(installed.stdout).said, "deny", installed.stderr)
      assert.match((await run("status", name)).stdout, /installed \(/)
      assert.strictEqual((await run("uninstall", name, "--yes")).code, 0)
    }
    const { code, stderr } = await run("install", "opencode", "--yes")
    assert.strictEqual(code, 0, stderr)
    assert.include(
      fs.readFileSync(path.join(at.home, ".config/opencode/plugins/tollgate.js"), "utf8"),
      at.env["TOLLGATE_HOME"]!
    )
  })

  it("is not written where a link in a project leads out of it, and a link of the user's is named (X5)", async () => {
    const at = one()
    const run = (...args: ReadonlyArray<string>) => tollgate(at, ["hook", ...args])
    const dotfiles = path.join(at.home, "dotfiles")
    fs.mkdirSync(dotfiles)
    for (const setup of setups) {
      const [first = ""] = path.relative(at.work, setup.project(at.work)).split(path.sep)
      fs.symlinkSync(dotfiles, path.join(at.work, first))
      const { code, stderr } = await run("install", setup.agent, "--project", "--yes")
      assert.strictEqual(code, 1, setup.agent)
      assert.match(
        stderr.replaceAll(/\s+/g, " "),
        /was not changed: it leads to .*dotfiles.*, which is outside of the project/
      )
      assert.deepStrictEqual(fs.readdirSync(dotfiles), [])
      fs.rmSync(path.join(at.work, first))
    }
    fs.symlinkSync(dotfiles, path.join(at.home, ".claude"))
    assert.strictEqual((await run("install", "claude", "--yes")).code, 0)
    assert.deepStrictEqual(fs.readdirSync(dotfiles), ["settings.json"])
    fs.symlinkSync(dotfiles, path.join(at.work, ".claude"))
    assert.notInclude((await run("status", "claude")).stdout, "twice")
  })

  it("is said not to run where the agent's own settings switch hooks off (X5)", async () => {
    const at = one()
    const settings = path.join(at.home, ".claude/settings.json")
    fs.mkdirSync(path.dirname(settings), { recursive: true })
    fs.writeFileSync(settings, '{"disableAllHooks": true}')
    const run = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await tollgate(at, ["hook", ...args])
      assert.strictEqual(code, 0, stderr)
      return stdout.replaceAll(/\s+/g, " ")
    }
    const said = `Claude Code does not run the hook here: disableAllHooks is true in ${settings}.`
    for (const time of [1, 2]) {
      const installed = await run("install", "claude", "--yes")
      assert.include(installed, said, `${time}`)
      assert.notMatch(installed, /runs the hook before each call|already runs/)
    }
    const status = await run("status", "claude")
    assert.include(status, said)
    assert.notInclude(status, "✓")
    assert.include(await run("status", "--json"), '"setting":"disableAllHooks is true"')
    fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replace("true", "false"))
    assert.include(await run("status", "claude"), "✓")
  })
})
