// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { Envelope } from "../../src/runtime/Envelope.ts"
import { version } from "../../src/version.ts"
import { built } from "../support/built.ts"
import { hasTrace, type Place, place, scripted, start, tollgate } from "./command.ts"
import { decisionsOf } from "./stored.ts"

describe("the built command line", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("answers --version and --help in an empty home, the help from its own definition", async () => {
    assert.deepStrictEqual(await tollgate(at, ["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" })
    const quick = await tollgate(at, ["--help"])
    const whole = await tollgate(at, ["--help", "--help"])
    assert.strictEqual(quick.code, 0)
    assert.strictEqual(quick.stdout, whole.stdout)
    for (const name of ["run", "sessions", "events", "replay", "config", "doctor", "tour"])
      assert.include(quick.stdout, `\n  ${name} `)
    assert.deepStrictEqual(fs.readdirSync(at.home), [])
  })

  it.each([
    [["run", "--bogus", "hi"], "unknown option --bogus"],
    [["runn"], "Did you mean run?"],
    [["memory", "forget", "three"], 'a memory is named by its number, not "three"'],
    [["events", "--from", "-3"], "--from takes a number from 1, not -3"],
    [["sessions", "list", "--limit", "0"], "--limit takes a number from 1 to 1000, not 0"],
    [["sessions", "fork", "x", "--at", "0"], "--at takes a number from 1, not 0"],
    [["sessions", "rewind", "x", "--to", "1"], "--to takes a number from 2, not 1"],
    [["sing", "a", "song"], "tollgate run"],
    [["--resume", "x"], 'unexpected argument "x"; to open a session by its id: tollgate --session ID'],
    [["--profile", "p", "hello"], 'unexpected argument "hello"; to send it as a prompt: tollgate run "…"'],
    [["config", "--json", "x"], 'unexpected argument "x"'],
    [["run", "--approve", "maybe", "hi"], "ask, edits"],
    [["run"], "The prompt is empty"],
    [[], "needs a terminal, and standard input is none"],
    [["run", "--approve", "ask", "hi"], "needs a terminal"],
    [["run", "--continue", "--session", "x", "hi"], "cannot be combined"],
    [["--wizard"], "--wizard"]
  ])("refuses %j with exit code 2 and a sentence", async (args, said) => {
    scripted(at, [])
    const { code, stderr, stdout } = await tollgate(at, args)
    assert.include(stderr, said)
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.isFalse(hasTrace(stderr))
  })

  it("takes words behind -- as they are", async () => {
    scripted(at, [{ when: "--bogus", steps: [{ say: "as it is" }] }])
    assert.strictEqual((await tollgate(at, ["run", "--", "--bogus"])).stdout, "as it is\n")
  })

  it("says which commands set a model up where there is none, with exit code 4", async () => {
    const { code, stderr } = await tollgate(at, ["run", "hi"])
    assert.strictEqual(code, 4)
    for (const line of ["export OPENAI_API_KEY", "export ANTHROPIC_API_KEY", "tollgate config set profiles.local"])
      assert.include(stderr, line)
    const doctor = await tollgate(at, ["doctor"])
    assert.strictEqual(doctor.code, 4)
    assert.include(doctor.stdout, "export OPENAI_API_KEY")
  })

  it("names the file, the path and what was expected of a bad configuration", async () => {
    scripted(at, [], { approvals: { policy: "sometimes" } })
    const { code, stderr } = await tollgate(at, ["run", "hi"])
    assert.strictEqual(code, 4)
    assert.match(stderr, /config\.json: approvals\.policy: .*"ask".*"sometimes"/)
    fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), "{")
    assert.include((await tollgate(at, ["config"])).stderr, "it is not JSON")
    const variable = await tollgate(at, ["config"], "", {
      TOLLGATE_HOME: path.join(at.home, "new"),
      TOLLGATE_MAX_ITERATIONS: "many"
    })
    assert.match(variable.stderr, /TOLLGATE_MAX_ITERATIONS: maxIterations: /)
    assert.strictEqual(variable.code, 4)
  })

  it("keeps the configuration for its owner, says where values come from and hides secrets", async () => {
    const profile = {
      provider: "chat-completions",
      baseUrl: "http://me:secret1@localhost:1/v1?key=secret2",
      model: "m",
      headers: { authorization: "secret3" }
    }
    assert.strictEqual((await tollgate(at, ["config", "set", "profiles.local", JSON.stringify(profile)])).code, 0)
    assert.strictEqual((await tollgate(at, ["config", "set", "approvals.timeout", "2 minutes"])).code, 0)
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    const shown = (await tollgate(at, ["config"], "", { TOLLGATE_MAX_ITERATIONS: "7", OPENAI_API_KEY: "secret4" }))
      .stdout
    assert.match(shown, /approvals\.timeout +2 minutes +\(.*config\.json\)/)
    assert.match(shown, /maxIterations +7 +\(TOLLGATE_MAX_ITERATIONS\)/)
    assert.match(shown, /profiles\.openai .*\(OPENAI_API_KEY\)/)
    assert.match(shown, /approvals\.policy +ask +\(default\)/)
    assert.notMatch(shown, /secret\d/)
    assert.strictEqual((await tollgate(at, ["config", "get", "approvals.timeout"])).stdout, "2 minutes\n")
    assert.notMatch((await tollgate(at, ["config", "get", "profiles.local"])).stdout, /secret\d/)
    const before = fs.readFileSync(file, "utf8")
    const wrong = await tollgate(at, ["config", "set", "maxIterations", "none"])
    assert.strictEqual(wrong.code, 4)
    assert.strictEqual(fs.readFileSync(file, "utf8"), before)
    assert.include((await tollgate(at, ["config", "set", "maxIteration", "3"])).stderr, "Did you mean maxIterations?")
    assert.strictEqual((await tollgate(at, ["config", "unset", "approvals.timeout"])).code, 0)
    assert.strictEqual((await tollgate(at, ["config", "get", "approvals.timeout"])).stdout, "off\n")
    assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["config.json", "config.lock"])
  })

  it("prints only the final answer on standard output, uncoloured, and its progress on standard error", async () => {
    scripted(at, [
      { steps: [{ say: "Looking." }, { call: { name: "list_dir" } }] },
      { steps: [{ say: "All \u001b[31mdone\u001b[0m." }] }
    ])
    const { code, stderr, stdout } = await tollgate(at, ["run", "look", "around"])
    assert.strictEqual(stdout, "All ␛[31mdone␛[0m.\n")
    assert.include(stderr, "› look around")
    assert.include(stderr, "• Listed")
    assert.notInclude(stderr, "\u001b")
    assert.strictEqual(code, 0)
    const coloured = await tollgate(at, ["run", "again"], "", { FORCE_COLOR: "1" })
    assert.include(coloured.stderr, "\u001b[")
  })

  const writing = [
    { steps: [{ call: { name: "write_file", arguments: { path: "new.txt", content: "x" } } }] },
    { steps: [{ say: "ok" }] }
  ]

  it("ends a task that needs approval where nobody can be asked, with exit code 3, and advises what lets it through (A7)", async () => {
    scripted(at, writing)
    const { code, stderr } = await tollgate(at, ["run", "write"])
    assert.strictEqual(code, 3)
    assert.match(stderr.replaceAll(/\s+/g, " "), /or add: --mode edits/)
    assert.notInclude(stderr, "dangerously")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("says once why it ended and what to do, and that a command had no output (A7, U9)", async () => {
    const shell = (command: string) => ({ call: { name: "run_shell", arguments: { command } } })
    scripted(at, [{ steps: [shell("true"), shell("touch a")] }])
    const { code, stderr } = await tollgate(at, ["run", "go"])
    assert.strictEqual(code, 3)
    assert.match(stderr, /• Ran true · no output · /)
    for (const said of ["no one is attached", "Run it in a terminal"]) {
      assert.strictEqual(stderr.split(said).length, 2, stderr)
    }
    // A mode that lets edits through is no help with a command.
    assert.notInclude(stderr, "--mode edits")
    assert.include(stderr, "--mode deny")
  })

  it("allows everything only where the flag that says so is given (A7)", async () => {
    scripted(at, writing, { approvals: { policy: "allow" } })
    for (const args of [
      ["run", "--approve", "allow", "write"],
      ["run", "write"]
    ]) {
      const { code, stderr } = await tollgate(at, args)
      assert.strictEqual(code, 2)
      assert.include(stderr, "--dangerously-allow-all")
    }
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
    const both = ["run", "--dangerously-allow-all", "--approve", "deny", "write"]
    assert.strictEqual((await tollgate(at, both)).code, 2)
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
    assert.strictEqual((await tollgate(at, ["run", "--dangerously-allow-all", "write"])).code, 0)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["new.txt"])
  })

  it("fails with exit code 1 and the reason where the model does", async () => {
    scripted(at, [])
    const { code, stderr } = await tollgate(at, ["run", "hi"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "the script is over")
    assert.isFalse(hasTrace(stderr))
  })

  it("prints the events as JSONL that the schema takes, and replays them as they looked live (R3, R6)", async () => {
    scripted(at, [
      { steps: [{ say: "First. " }, { call: { name: "list_dir" } }, { call: { name: "no_such_tool" } }] },
      { steps: [{ say: "Done." }] }
    ])
    const run = await tollgate(at, ["run", "--jsonl", "go"])
    const envelopes = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => Schema.decodeUnknownSync(Schema.parseJson(Envelope))(line))
    assert.strictEqual(envelopes.at(-1)?.event._tag, "TaskCompleted")
    const durable = envelopes.filter(({ transient }) => transient !== true).map(({ seq }) => seq)
    assert.deepStrictEqual(
      durable,
      durable.map((_, index) => index + 1)
    )
    const session = envelopes[0]!.session
    const stored = await tollgate(at, ["events", session.slice(0, 20), "--jsonl"])
    const kept = path.join(at.home, "kept.jsonl")
    fs.writeFileSync(kept, stored.stdout)
    const [fromLive, fromStored, shown] = [
      await tollgate(at, ["replay", "-"], run.stdout),
      await tollgate(at, ["replay", kept]),
      await tollgate(at, ["sessions", "show", session])
    ]
    assert.include(fromLive.stdout, "• Listed")
    assert.strictEqual(fromStored.stdout, fromLive.stdout)
    assert.strictEqual(shown.stdout, fromLive.stdout)
    const later = await tollgate(at, ["events", session, "--from", "3", "--jsonl"])
    assert.strictEqual(later.stdout, stored.stdout.split("\n").slice(2).join("\n"))
  })

  it("goes on with a session by --session and --continue, and lists it", async () => {
    scripted(at, [{ steps: [{ say: "one" }] }, { repeat: true, steps: [{ say: "more" }] }])
    await tollgate(at, ["run", "first words"])
    assert.strictEqual((await tollgate(at, ["run", "--continue", "second"])).code, 0)
    const listed = await tollgate(at, ["sessions", "list", "--jsonl"])
    const { id, title } = JSON.parse(listed.stdout) as { id: string; title: string }
    assert.strictEqual(title, "first words")
    assert.strictEqual((await tollgate(at, ["run", "--session", id, "third"])).code, 0)
    const { stdout } = await tollgate(at, ["sessions", "show", id])
    for (const words of ["› first words", "› second", "› third"]) assert.include(stdout, words)
    const unknown = await tollgate(at, ["run", "--session", "session_none", "hi"])
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "Session session_none does not exist")
    const empty = await tollgate(at, ["sessions", "title", "", "a", "title"])
    assert.include(empty.stderr, 'Session "" does not exist')
  })

  it.each(["SIGINT", "SIGTERM"] as const)(
    "stops on %s, says what was interrupted and by its exit code what stopped it (R9)",
    async (signal) => {
      scripted(at, [{ steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 600" } } }] }])
      const running = await start(at, ["run", "--dangerously-allow-all", "wait"])
      await running.seen("begun")
      running.kill(signal)
      const { code, stderr } = await running.ended
      assert.strictEqual(code, 128 + os.constants.signals[signal])
      assert.match(stderr, /◼ interrupted/)
      const { stdout } = await tollgate(at, ["sessions", "show", "session_"])
      assert.match(stdout, /interrupted/)
    }
  )

  it("ends quietly where nobody reads on", async () => {
    scripted(at, [{ steps: [{ say: "Done." }] }])
    await tollgate(at, ["run", "go"])
    // What ends before its reader does exits with 0; what is cut short with 141, as by SIGPIPE.
    for (const [args, code] of [
      ["events session_ --jsonl", "0"],
      ["tour", "141"]
    ] as const) {
      const command = `"${process.execPath}" "${await built()}" ${args} | head -n 1; echo "\${PIPESTATUS[0]}"`
      const { stderr, stdout } = await promisify(execFile)("bash", ["-c", command], {
        cwd: at.work,
        env: { ...at.env }
      })
      assert.strictEqual(stderr, "")
      const lines = stdout.trim().split("\n")
      assert.deepStrictEqual([lines.length, lines.at(-1)], [2, code])
    }
  })

  it("takes one long word for a prompt", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Read." }] }])
    const words = ["a", "漢a"].map((word) => word.repeat(150_000))
    const { code, stdout } = await tollgate(at, ["run"], words.join("\n"))
    assert.strictEqual(code, 0)
    assert.strictEqual(stdout, "Read.\n")
  })

  it("shows the tour without a terminal, keeps it on record and leaves no workspace behind, nor one a day old (A10)", async () => {
    const temporary = path.join(at.home, "tmp")
    for (const one of ["old", "young"])
      fs.mkdirSync(path.join(temporary, `tollgate-tour-${one}`, "ledger"), { recursive: true })
    fs.utimesSync(path.join(temporary, "tollgate-tour-old"), 0, 0)
    const { code, stderr, stdout } = await tollgate(at, ["tour"], "", { TMPDIR: temporary })
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    for (const sign of [
      "• Read 1 file, listed 1",
      "attempt 2",
      "did not finish within",
      "tool weigh_soil crashed",
      "+54 kilos in all.",
      "│ checking beans",
      "keep the ledger",
      "Understood, the ledger stays"
    ]) {
      assert.include(stdout, sign)
    }
    const id = /sessions show (session_\w+)/.exec(stdout)?.[1]
    assert.include((await tollgate(at, ["sessions", "show", id!])).stdout, "Understood, the ledger stays")
    assert.deepStrictEqual(fs.readdirSync(temporary), ["tollgate-tour-young"])
    // The script of the tour has answered, and no user.
    const decisions = decisionsOf(at)
    assert.include(decisions, "resolved denied frontend tour")
    for (const one of decisions) assert.notMatch(one, / user$/)
  })
})
