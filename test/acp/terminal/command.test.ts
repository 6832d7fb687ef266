// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { methods, RequestError } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { setImmediate } from "node:timers/promises"
import { scripted } from "../../cli/command.ts"
import { type Connected, prompted } from "../Client.ts"
import { call, done, editors, ends } from "../editors.ts"
import { FakeTerminals } from "./FakeTerminals.ts"

const run = (command: string, more: object = {}) => call("run_shell", { command, ...more })
const unconfined = { sandbox: { target: "none" } }
const said = (one: unknown) => JSON.stringify(one)

/** Resolves once a file has something in it. */
const begins = async (file: string) => {
  while (!fs.existsSync(file) || fs.statSync(file).size === 0) await setImmediate()
}

/** What is told of a call that has run in a terminal. */
const inTerminal = (terminalId: string) => ({ type: "terminal" as const, terminalId })

describe("an editor that gives its terminal", () => {
  const { at, connected, working } = editors()
  const playing = (turns: ReadonlyArray<unknown>, more: object = {}) =>
    scripted(at, [...turns, done], { ...unconfined, ...more })
  const file = (name: string) => path.join(at.work, name)

  const told = async (editor: Connected, session: string) => {
    await editor.until(() => ends(editor, session).length >= editor.of("tool_call", session).length)
    return ends(editor, session).map(({ content = [], status }) => ({ content, status }))
  }
  /** What the model has read of each call, as a session is told again. */
  const retold = async (session: string) => {
    const editor = await connected({ terminals: new FakeTerminals() })
    await editor.agent.request(methods.agent.session.load, { sessionId: session, cwd: at.work, mcpServers: [] })
    return told(editor, session)
  }
  const textsOf = (all: Awaited<ReturnType<typeof told>>) => all.map(({ content }) => said(content))
  /** The same once the session is closed where it was. */
  const closed = async (editor: Connected, session: string) => {
    await editor.agent.request(methods.agent.session.close, { sessionId: session })
    editor.behave({ terminals: new FakeTerminals() })
    await editor.agent.request(methods.agent.session.load, { sessionId: session, cwd: at.work, mcpServers: [] })
    return told(editor, session)
  }

  it("has what was approved run there, shown with its call, and its output read by the model (X3)", async () => {
    playing([run("printf 'out\\n'; printf 'err\\n' >&2; pwd > made; exit 3")])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    assert.lengthOf(editor.permissions, 1)
    const [created, ...others] = terminals.created
    assert.lengthOf(others, 0)
    assert.strictEqual(created?.cwd, at.work)
    assert.deepStrictEqual(created?.args?.slice(0, -1), ["--noprofile", "--norc", "-p"])
    assert.isAbove(created?.outputByteLimit ?? 0, 0)
    await editor.until(() => terminals.asked.length === 2)
    assert.deepStrictEqual(terminals.asked, ["create t1", "release t1"])
    assert.strictEqual(fs.readFileSync(file("made"), "utf8"), `${at.work}\n`)
    const [ended] = ends(editor)
    assert.strictEqual(ended?.status, "failed")
    assert.deepInclude(ended?.content as ReadonlyArray<unknown>, inTerminal("t1"))
    assert.include(said(ended?.content), "exit code 3")
    assert.notInclude(said(editor.of("tool_call_update")), "out\\n")
    const [one] = await closed(editor, session)
    assert.notInclude(said(one?.content), "terminal")
    for (const text of ["exit code 3", "out\\n", "err\\n"]) assert.include(said(one?.content), text)
    assert.isFalse(fs.existsSync(created?.args?.at(-1) ?? ""))
  })

  it("is given neither the words of a command nor its environment, and has none of its own run first (X3)", async () => {
    const evil = path.join(at.home, "evil")
    fs.writeFileSync(evil, `touch ${file("evil")}`)
    playing([run("env > made; echo $0 > zero")])
    const own = { BASH_ENV: evil, "BASH_FUNC_cd%%": `() { touch ${file("evil")}; }`, EDITOR_TOKEN: "hush-hush" }
    const terminals = new FakeTerminals({ env: own })
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    assert.notInclude(said(terminals.created), at.home)
    assert.notInclude(said(terminals.created), "made")
    assert.isFalse(fs.existsSync(file("evil")))
    const there = fs.readFileSync(file("made"), "utf8")
    assert.notInclude(there, "hush-hush")
    assert.strictEqual(fs.readFileSync(file("zero"), "utf8"), "bash\n")
    await editor.close()
    playing([run("env > made; echo $0 > zero")])
    const other = await working()
    await prompted(other.editor, other.session, "go")
    const namesIn = (text: string) =>
      text
        .replace(/^TOLLGATE_PROCESS=.*$/m, "TOLLGATE_PROCESS")
        .split("\n")
        .sort()
    assert.deepStrictEqual(namesIn(there), namesIn(fs.readFileSync(file("made"), "utf8")))
  })

  it("gets none that was rejected, that runs unasked, that runs in the background, or that is no command (X3)", async () => {
    playing([
      run("touch rejected"),
      run("pwd"),
      run("touch behind", { background: true }),
      call("write_file", { path: "written", content: "x" })
    ])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({
      terminals,
      permission: ({ toolCall }) => (said(toolCall).includes("touch rejected") ? "reject" : "once")
    })
    await prompted(editor, session, "go")
    assert.deepStrictEqual(terminals.asked, [])
    assert.lengthOf(ends(editor), 4)
    assert.isFalse(fs.existsSync(file("rejected")))
    assert.isTrue(fs.existsSync(file("written")))
  })

  it("gets none that a sandbox holds, which an editor cannot, and one that has no terminal is asked for none (X3)", async () => {
    playing([run("touch made; echo held")], { sandbox: { target: "bubblewrap" } })
    const terminals = new FakeTerminals()
    const held = await working({ terminals }).catch((error: unknown) => error)
    // Where bubblewrap does not work, that is said, and nothing runs.
    if (held instanceof Error) assert.include(held.message, "bubblewrap")
    else {
      const { editor, session } = held as Awaited<ReturnType<typeof working>>
      await prompted(editor, session, "go").catch(() => {})
      assert.match(`${said(ends(editor))}${editor.stdout()}`, /held|bubblewrap/)
      await editor.close()
    }
    assert.deepStrictEqual(terminals.asked, [])
    playing([run("touch made; echo done")])
    const { editor, session } = await working()
    await prompted(editor, session, "go")
    assert.include(said(ends(editor)), "done")
    assert.notInclude(editor.stdout(), "terminal/")
  })

  it("shows the calls of sub-workers with their terminals (X3)", async () => {
    playing([
      call("delegate", { name: "helper", task: "touch it" }),
      { when: "touch it", ...run("touch made") },
      { steps: [{ say: "Touched." }] }
    ])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    assert.isTrue(fs.existsSync(file("made")))
    const of = editor.of("tool_call").find(({ kind }) => kind === "execute")
    const ended = ends(editor).find(({ toolCallId }) => toolCallId === of?.toolCallId)
    assert.deepStrictEqual(ended?.content, [inTerminal("t1")])
  })

  it("runs to its last byte what was shown, with the output and the code that it has when we run it (X3)", async () => {
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
    const odd = FastCheck.constantFrom(
      "'",
      '"',
      "\\",
      "$(id)",
      "`id`",
      "\n",
      "$HOME",
      "!",
      "*",
      "é",
      "😀",
      "\t",
      ";",
      "&"
    )
    const text = FastCheck.array(FastCheck.oneof(odd, FastCheck.string({ maxLength: 4 })), { maxLength: 8 }).map(
      (all) => all.join("").replaceAll("\0", "")
    )
    const command = FastCheck.tuple(text, text, FastCheck.constantFrom("", " >&2"), FastCheck.nat(255)).map(
      ([one, other, to, code]) =>
        `: > made; { printf '%s|' ${quoted(one)} "$(printf %s ${quoted(other)})"; wc -c < /dev/stdin; }${to}\nexit ${code}`
    )
    const commands = FastCheck.sample(command, 15)
    const texts: Array<ReadonlyArray<string>> = []
    for (const terminals of [undefined, new FakeTerminals(), new FakeTerminals({ pty: true })]) {
      playing(commands.map((one) => run(one)))
      const { editor, session } = await working(terminals === undefined ? {} : { terminals })
      await prompted(editor, session, "go")
      const shown = editor.permissions.map(({ toolCall }) => toolCall.rawInput)
      assert.deepStrictEqual(
        shown,
        commands.map((one) => ({ command: one }))
      )
      if (terminals !== undefined) assert.lengthOf(terminals.created, commands.length)
      texts.push(textsOf(await closed(editor, session)))
    }
    const [here, there, inPty] = texts
    assert.lengthOf(here!, commands.length)
    assert.deepStrictEqual(there, here)
    assert.deepStrictEqual(inPty, here)
  })

  it("has secrets that a command prints hidden from the model as elsewhere (X3)", async () => {
    const key = `sk-ant-api03-${"a1B2".repeat(20)}AA`
    playing([run(`printf '${key.slice(0, 8)}%s' '${key.slice(8)}' | tee made`)])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    assert.include(fs.readFileSync(file("made"), "utf8"), key)
    assert.lengthOf(terminals.created, 1)
    assert.notInclude(said(await closed(editor, session)), key)
  })

  it("kills and releases a command whose turn is cancelled (X3)", async () => {
    playing([run("touch made; sleep 600 & sleep 600")])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    const turn = prompted(editor, session, "go")
    await editor.until(() => said(editor.of("tool_call_update")).includes("terminalId"))
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await turn).stopReason, "cancelled")
    await editor.until(() => terminals.asked.length === 3)
    assert.deepStrictEqual(terminals.asked, ["create t1", "kill t1", "release t1"])
    await terminals.ended()
  })

  it("kills and releases one that starts only after its turn was cancelled (X3)", async () => {
    playing([run("touch made; sleep 600")])
    let go = () => {}
    const held = new Promise<void>((resolve) => (go = resolve))
    const terminals = new FakeTerminals({ before: () => held })
    const { editor, session } = await working({ terminals })
    const turn = prompted(editor, session, "go")
    await editor.until(() => terminals.created.length === 1)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await turn).stopReason, "cancelled")
    assert.strictEqual(terminals.living, 0)
    go()
    await editor.until(() => terminals.asked.includes("release t1"))
    await editor.until(() => terminals.asked.length === 3)
    assert.deepStrictEqual(terminals.asked, ["create t1", "kill t1", "release t1"])
    await terminals.ended()
  })

  it("has a command end at its limit of time, with all that it started and what it has printed (X3)", async () => {
    playing([run("printf begun; setsid sleep 600 & sleep 600", { timeout: 1 })])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    await editor.until(() => terminals.asked.length === 3)
    assert.deepStrictEqual(terminals.asked, ["create t1", "kill t1", "release t1"])
    await terminals.ended()
    const [one] = await closed(editor, session)
    assert.include(said(one), "timed out after 1 s")
    assert.include(said(one), "begun")
  })

  it("has a command end that is silent for too long, and not before (X3)", async () => {
    playing([run("for i in 1 2 3 4 5; do printf $i; sleep 0.4; done; sleep 600")], { timeouts: { idle: "1 second" } })
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    const [one] = await closed(editor, session)
    assert.include(said(one), "12345")
    assert.include(said(one), "1 s without output")
  })

  it("is taken at its word where it fails: nothing is run elsewhere, and the model reads why (X3)", async () => {
    playing([run("touch made"), run("printf x > other")])
    const terminals = new FakeTerminals({
      before: ({ cwd }) => {
        if (terminals.created.length === 1) throw new RequestError(-32603, `no terminal is left for ${cwd}`)
      },
      answer: (method) => {
        if (method === "output") throw new RequestError(-32603, "the scrollback is locked")
      }
    })
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    const [first, second] = ends(editor)
    assert.deepStrictEqual([first?.status, second?.status], ["failed", "failed"])
    assert.include(said(first), `did not start the command: no terminal is left for ${at.work}. It was not run.`)
    assert.isFalse(fs.existsSync(file("made")))
    assert.include(said(second), "did not give the output of the command: the scrollback is locked. It may have run")
    assert.strictEqual(fs.readFileSync(file("other"), "utf8"), "x")
    await editor.until(() => terminals.asked.length === 3)
    assert.deepStrictEqual(terminals.asked, ["create t1", "create t2", "release t2"])
  })

  it("is said to be elsewhere where it does not see our files (X3)", async () => {
    playing([run("touch made")])
    const terminals = new FakeTerminals({ before: ({ args = [] }) => fs.rmSync(args.at(-1) ?? "") })
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    const [ended] = ends(editor)
    assert.strictEqual(ended?.status, "failed")
    assert.match(
      said(ended),
      /did not start the command: nothing shows that it has read .*No such file.*It may have run/
    )
    assert.isFalse(fs.existsSync(file("made")))
  })

  it("is not believed to have ended what it does not tell the end of (X3)", async () => {
    playing([run("touch made; sleep 600", { timeout: 1 })])
    const terminals = new FakeTerminals({
      answer: (method) => (method === "wait" ? new Promise<void>(() => {}) : undefined)
    })
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    const [ended] = ends(editor)
    assert.strictEqual(ended?.status, "failed")
    assert.include(said(ended), "did not end the command: it was killed and had not ended after 5 seconds. It may have")
    await terminals.ended()
  })

  it.each(["dies", "is closed"] as const)(
    "leaves a command unknown where the connection %s, and nothing runs it again (X3)",
    async (way) => {
      playing([run("printf x >> made; sleep 600")])
      const terminals = new FakeTerminals()
      const { editor, session } = await working({ terminals })
      const turn = prompted(editor, session, "go").catch(() => {})
      await editor.until(() => said(editor.of("tool_call_update")).includes("terminalId"))
      await begins(file("made"))
      if (way === "dies") {
        editor.child.kill("SIGKILL")
        await editor.ended
      } else assert.strictEqual(await editor.close(), 0)
      await turn
      terminals.release("t1")
      await terminals.ended()
      const [one] = await retold(session)
      assert.strictEqual(one?.status, "failed")
      assert.match(said(one?.content), /the runtime|interrupted/)
      assert.strictEqual(fs.readFileSync(file("made"), "utf8"), "x")
    }
  )

  it.each([{ unlimited: false }, { unlimited: true }])(
    "cannot flood the model or the log, whether it keeps to the limit of output or not: $unlimited (X3)",
    async ({ unlimited }) => {
      playing([run("yes flooding | head -c 6000000; printf 'the end' | tee made")])
      const terminals = new FakeTerminals({ unlimited })
      const { editor, session } = await working({ terminals })
      await prompted(editor, session, "go")
      const [one] = await closed(editor, session)
      assert.include(said(one), "the end")
      assert.isBelow(said(one).length, 80_000)
      assert.match(said(one), unlimited ? /left out/ : /the editor keeps only the end/)
    }
  )

  it("ends what a command leaves running, and says so (X3)", async () => {
    playing([run("setsid sleep 600 > /dev/null 2>&1 & printf begun > made")])
    const terminals = new FakeTerminals()
    const { editor, session } = await working({ terminals })
    await prompted(editor, session, "go")
    const [one] = await closed(editor, session)
    assert.include(said(one), "1 process left in the background ended with the command")
  })
})
