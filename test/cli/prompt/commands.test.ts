// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "../command.ts"
import { leave, probes } from "../terminal/TerminalProbe.ts"

describe("a slash command", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: at.work, env: { ...at.env } })
  })
  afterEach(() => at.remove())
  const { open, prompt } = probes(() => at)

  /** What is typed, and what is seen below it, before there is a session. */
  const before: ReadonlyArray<readonly [string, RegExp]> = [
    ["/help", /more +\/help NAME/],
    ["/help mode", /\/mode \[NAME\|next\] {2}show the mode/],
    ["/help nothing", /unknown command \/nothing/],
    ["/model", /test · available: test/],
    ["/model none", /Unknown model profile none/],
    ["/mode", /● ask/],
    ["/mode none", /unknown mode none · ask, edits/],
    ["/approvals", /· No saved rules in /],
    ["/approvals rules", /· No rules for /],
    ["/approvals none", /usage: \/approvals \[rules\]/],
    ["/why", /name a tool and what it would do/],
    ["/why run_shell git push", /run_shell would be denied/],
    ["/why nothing", /Unknown tool "nothing"\. Available: read_file/],
    ["/clear", /nothing to clear yet/],
    ["/compact", /nothing to summarise yet/i],
    ["!", /usage: !COMMAND/],
    ["#", /usage: #NOTE/],
    ["/status", /no session yet · test/],
    ["/context", /nothing in the context yet/],
    ["/search", /usage: \/search WORDS/],
    ["/search barn", /No message found\./],
    ["/cost", /this session \$0\.00 · today \$0\.00/],
    ["/title barns", /title: barns/],
    ["/rename", /· barns/],
    ["/fork 1", /no prompt yet/],
    ["/compact", /· nothing to summarise yet/],
    ["/clear", /the model's context was cleared/],
    ["/rewind", /nothing to rewind yet/],
    ["/undo", /nothing to undo yet/],
    ["/undo 5", /\/undo takes no argument/],
    ["/memory forget none", /usage: \/memory forget ID, a number/],
    ["/diff", /no changes yet/],
    ["/workers", /no sub-workers yet/],
    ["/cancel", /usage: \/cancel WORKER/],
    ["/cancel none", /no worker none/],
    ["/tasks", /no commands in the background/],
    ["/tasks none", /No background command none in this session/],
    ["/tasks stop", /usage: \/tasks stop ID/],
    ["/todos", /no steps yet/],
    ["/memory", /remembers nothing yet/],
    ["/memory none", /nothing that is remembered has any of these words/],
    ["/tools", /git_push {2}you · asks/],
    ["/ts", /git_push {2}you · asks/],
    ["/tool", /name a tool · \/tools lists them/],
    ["/t", /name a tool · \/tools lists them/],
    ["/tool none", /Unknown tool "none"\. Available: run_shell/],
    ["/mcp", /no MCP server · tollgate mcp add NAME/],
    ["/export json talk.json", /written: \S+\s*talk\.json/],
    ["/export json talk.json", /already exists; name another file\.$/],
    ["/import", /usage: \/import FILE/],
    ["/import none.json", /does not exist/],
    ["/import -", /standard input is what you type at/],
    ["/import talk.json", /✓ session_\w+: 0 messages from JSON, as data/],
    ["/config", /maxDepth +4 {2}\(default\)/],
    ["/config maxDepth", /· 4$/],
    ["/config none", /Unknown configuration key "none"\./],
    ["/config none 5", /Unknown configuration key "none"\.[^·]*$/],
    ["/config maxDepth '3'", /maxDepth = 3 /],
    ["/config maxDepth 5", /maxDepth = 5 [^]*· what is set counts from the next start on$/],
    ["/resume none", /Session none does not exist/],
    ["/modle", /did you mean \/model\?/],
    ["/status", /session_\w+ · test · asks before acting · sandbox off/],
    ["/doctor", /profile test +scripted[^]*sandbox +Commands run unconfined/]
  ]

  it("says what there is and what it lacks, whatever is typed behind it, before there is anything (U7)", async () => {
    scripted(at, [], { sandbox: { target: "none" } })
    const terminal = await prompt([], { columns: 120, rows: 50 })
    for (const [line, expected] of before) {
      const typed = `› ${line}\n`
      const times = terminal.screen().split(typed).length
      terminal.press(`${line}\r`)
      await terminal.settles((shown) => {
        const parts = shown.split(typed)
        assert.strictEqual(parts.length, times + 1, line)
        assert.match((parts.at(-1) ?? "").replace(/\n›[^]*$/, ""), expected, line)
        assert.match(shown, /^›\n ASK [^\n]*$(?![^])/m)
      })
    }
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })

  it("names no key in the help of a terminal that hands over lines (U7, U12)", async () => {
    scripted(at, [], { sandbox: { target: "none" } })
    const terminal = await open([], { columns: 100, env: { TERM: "dumb" } })
    await terminal.seen(/^› ?$/m)
    terminal.press("/help\r")
    const shown = await terminal.seen(/more +\/help NAME$/m)
    assert.match(shown, /keys +enter sends · ctrl-c stops · ctrl-d quits/)
    assert.notMatch(shown, /shift-tab|@FILE|ctrl-r/)
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })

  it("has the model write down what an agent must know of a project, through the gate (U7)", async () => {
    scripted(at, [
      {
        when: "write AGENTS.md",
        steps: [{ call: { name: "write_file", arguments: { path: "AGENTS.md", content: "# Barn\n" } } }]
      },
      { steps: [{ say: "Written." }] }
    ])
    const terminal = await prompt()
    terminal.press("/init\r")
    await terminal.seen(/AGENTS\.md[^]*y allow once/)
    assert.isFalse(fs.existsSync(path.join(at.work, "AGENTS.md")))
    terminal.press("y")
    await terminal.idle("Written.")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "AGENTS.md"), "utf8"), "# Barn\n")
    await leave(terminal)
  })
})
