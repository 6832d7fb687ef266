// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { sessionsOf } from "../stored.ts"
import { probes } from "../terminal/TerminalProbe.ts"

const escape = "\u001b"

describe("picking an earlier session", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open, prompt } = probes(() => at)

  it("lists title, age, branch and what waits, filters as one types, opens what is picked, and Esc leaves (U12)", async () => {
    scripted(at, [
      { when: "lawn", steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one" } } }] },
      { repeat: true, steps: [{ say: "Fine." }] }
    ])
    await tollgate(at, ["run", "before git"])
    execFileSync("git", ["init", "--quiet", "--initial-branch=feature/paint"], { cwd: at.work, env: at.env })
    await tollgate(at, ["run", "paint the barn"])
    const lawn = await prompt()
    lawn.press("mow the lawn\r")
    await lawn.seen("allow?")
    lawn.kill()
    await lawn.ended
    const left = await open(["--resume"])
    await left.seen(
      /❯ ⏸ just now +feature\/paint +mow the lawn\n +just now +feature\/paint +paint the barn\n +just now +before git/
    )
    left.press(escape)
    assert.strictEqual(await left.ended, 0)

    const terminal = await open(["--resume"])
    await terminal.seen("type to filter")
    terminal.press("brn")
    await terminal.seen(/❯ +just now.*paint the barn\n› brn$/m)
    assert.notInclude(terminal.screen(), "lawn")
    terminal.press("\r")
    await terminal.idle(/› paint the barn/)
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.lengthOf(sessionsOf(at), 3)
  })

  it("shows what an imported conversation holds, as one of its own (K2, U12)", async () => {
    const given = { id: "c1", type: "function", function: { name: "run_shell", arguments: '{"command":"npm test"}' } }
    const messages = [
      { role: "user", content: "why is it red?" },
      { role: "assistant", content: "I look.", tool_calls: [given] },
      { role: "tool", tool_call_id: "c1", content: "1 failed" },
      { role: "assistant", content: "A test fails." },
      { role: "user", content: "mend it" },
      { role: "assistant", content: "Mended." }
    ]
    scripted(at, [{ repeat: true, steps: [{ say: "Fine." }] }])
    const imported = await tollgate(at, ["import", "--json", "-"], JSON.stringify(messages))
    const { session } = JSON.parse(imported.stdout) as { readonly session: string }
    const conversation =
      /› why is it red\?[^]*I look\.[^]*npm test[^]*1 failed[^]*A test fails\.[^]*› mend it[^]*Mended\./
    const shown = await tollgate(at, ["sessions", "show", session])
    assert.match(shown.stderr + shown.stdout, conversation)
    assert.include((await tollgate(at, ["sessions", "list"])).stdout, "imported · why is it red?")
    const terminal = await open(["--session", session])
    await terminal.seen(conversation)
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
    const copy = await tollgate(at, ["export", session])
    const again = await tollgate(at, ["import", "--json", "-"], copy.stdout)
    const { session: second } = JSON.parse(again.stdout) as { readonly session: string }
    const repeated = await tollgate(at, ["sessions", "show", second])
    assert.match(repeated.stderr + repeated.stdout, conversation)
  })

  it("is picked by a number where the terminal gets lines (U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Fine." }] }])
    for (const prompt of ["paint the barn", "mow the lawn"]) await tollgate(at, ["run", prompt])
    const terminal = await open(["--resume"], { env: { TERM: "dumb" } })
    await terminal.seen(/1 .*mow the lawn\n2 .*paint the barn\nnumber, or words to filter:/)
    terminal.press("2\n")
    await terminal.seen(/› paint the barn[^]*Fine\.[^]*\n›(?![^])/)
    terminal.press("/exit\n")
    assert.strictEqual(await terminal.ended, 0)
    assert.notInclude(terminal.raw(), escape)
  })

  it("shows what the prompt has shown, with the line of requests and calls (U12)", async () => {
    const call = (name: string, given: object) => ({ call: { name, arguments: given } })
    scripted(at, [
      {
        steps: [{ say: "Both." }, call("list_dir", { path: "." }), call("write_file", { path: "a.txt", content: "a" })]
      },
      { steps: [{ say: "Done." }] }
    ])
    const exchange = /› mow the lawn[^]*─ 2 requests · 2 calls, 1 denied · .*$/m
    const lawn = await prompt()
    lawn.press("mow the lawn\r")
    await lawn.seen("allow?")
    lawn.press("n")
    const shown = exchange.exec(await lawn.idle(/─ 2 requests[^]*^›$/m))?.[0]
    lawn.press("/exit\r")
    await lawn.ended
    const again = await prompt(["--continue"])
    const seen = await again.seen(/› mow the lawn[^]*^›$/m)
    assert.strictEqual(exchange.exec(seen)?.[0], shown, seen)
    again.press("/exit\r")
    await again.ended
  })

  it("is one way of saying which session", async () => {
    scripted(at, [])
    const terminal = await open(["--resume", "--continue"])
    await terminal.seen("--resume cannot be combined")
    assert.strictEqual(await terminal.ended, 2)
  })
})
