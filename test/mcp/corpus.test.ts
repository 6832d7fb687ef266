import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import { McpServer } from "../../src/mcp/McpServer.ts"
import * as ServerTool from "../../src/mcp/ServerTool.ts"
import * as TouchPolicy from "../../src/mcp/TouchPolicy.ts"
import { defaultRules } from "../../src/policy/network/NetworkRules.ts"
import { judgeUrl } from "../../src/policy/network/UrlPolicy.ts"
import * as PathContext from "../../src/policy/path/PathContext.ts"
import { judgeNow } from "../../src/policy/path/PathPolicy.ts"
import { deny } from "../../src/policy/Verdict.ts"
import { Processes } from "../../src/process/Processes.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import { PathInput } from "../corpus/PathCase.ts"
import { ShellInput } from "../corpus/ShellCase.ts"
import * as Tree from "../corpus/Tree.ts"
import { rulesOf, UrlInput } from "../corpus/UrlCase.ts"
import { corpus, corpusFile } from "../support/corpora.ts"
import { directory } from "./support.ts"

type Outcome = "allow" | "ask" | "deny"

/** What the user says of the tools of a server; `unasked` are the same as tools that need no consent. */
const touching = {
  run: { command: { parameter: "text", cwd: "directory" } },
  read: { paths: [{ parameter: "path", op: "read" }] },
  write: { paths: [{ parameter: "path", op: "write" }] },
  remove: { paths: [{ parameter: "path", op: "remove" }] },
  list: { paths: [{ parameter: "path", op: "list" }] },
  fetch: { hosts: ["url"] }
}
const tools = Object.fromEntries(
  Object.entries(touching).flatMap(([name, touches]) => [
    [name, { touches }],
    [`${name}_unasked`, { touches, approval: "never", readOnly: true }]
  ])
)
const server = Schema.decodeUnknownSync(McpServer)({ command: ["server"], tools })
const known: KnownServer = { name: "fix", origin: "user", given: {}, server }

/** What becomes of calls, seen from outside: the server is called, the user is asked first, or neither. */
const observing = Effect.gen(function* () {
  let policy: TouchPolicy.TouchPolicy = {
    judge: () => deny("test/none", "no place is given"),
    preview: () => ({ summary: "", targets: [] })
  }
  let reached = 0
  let asked = 0
  const made = Object.keys(tools).map((name) =>
    ServerTool.make(
      known,
      { kind: "tool", name, definition: { name, inputSchema: { type: "object" } } },
      () => Effect.sync(() => (reached++, { content: [] })),
      { judge: (touches) => policy.judge(touches), preview: (touches, words) => policy.preview(touches, words) }
    )
  )
  const sealed = yield* Toolset.make(made, { middleware: DefaultStack.make({ resultLimit: { bytes: 1000 } }) })
  const asking = yield* Layer.build(Approvals.layerDecide(() => (asked++, { decision: "deny" })))
  let calls = 0
  const outcome = (tool: string, rawParams: object): Effect.Effect<{ readonly said: Outcome; readonly why: string }> =>
    Effect.gen(function* () {
      const before = { asked, reached }
      const request = { callId: `call${++calls}`, sessionId: `s${calls}`, workerPath: ["root"], startedAt: 0 }
      const given = yield* sealed
        .call({ name: `fix__${tool}`, rawParams, sink: silent, ...request })
        .pipe(Effect.provide(asking), Effect.either)
      const why = Either.isLeft(given) ? given.left.message : ""
      const wasAsked = asked > before.asked
      if (wasAsked) assert.strictEqual(reached, before.reached, `${tool} was called although nobody allowed it: ${why}`)
      return { said: reached > before.reached ? "allow" : wasAsked ? "ask" : "deny", why }
    })
  /** A tool that needs consent is never called without it; one that does not is judged by what it touches alone. */
  return (tool: string, rawParams: object, boundary: PathContext.PathContext, network = defaultRules) =>
    Effect.gen(function* () {
      policy = TouchPolicy.make({ boundary, network })
      const usual = yield* outcome(tool, rawParams)
      const unasked = yield* outcome(`${tool}_unasked`, rawParams)
      assert.strictEqual(usual.said, unasked.said === "allow" ? "ask" : unasked.said, `${tool} ${unasked.why}`)
      return unasked
    })
})

const contextOf = (given: Pick<PathContext.PathContext, "cwd" | "roots" | "home">): PathContext.PathContext => ({
  ...given,
  trusted: false,
  stateDirs: [`${given.cwd}/.tollgate`, `${given.home}/.local/state/tollgate`]
})

const fixture = Schema.decodeUnknownSync(Schema.Array(Tree.Entry))(corpusFile("b_paths.fixture.json"))

describe("the corpora through tools of MCP servers", () => {
  it.scopedLive("every shell text is judged as it is for our own shell (X2, S3)", () =>
    Effect.gen(function* () {
      const outcome = yield* observing
      const decode = Schema.decodeUnknownSync(ShellInput)
      for (const row of corpus<unknown>("c_shell")) {
        const { command: text, context } = decode(row.input)
        const { said, why } = yield* outcome("run", { text, directory: context.cwd }, contextOf(context))
        const wanted = row.accept ?? [row.expected]
        const told = `${row.id} ${said} ${why}`
        if (!wanted.includes("auto") && !wanted.includes("allow")) assert.notStrictEqual(said, "allow", told)
        if (wanted.every((one) => one === "deny")) assert.strictEqual(said, "deny", told)
        // Git of a server runs with whatever a repository configures.
        if (row.class === "benign") assert.strictEqual(said, /\bgit\b/.test(text) ? "ask" : "allow", told)
      }
    })
  )

  it.scopedLive("every path is judged as it is for our own tools, where its files stand (X2, S2)", () =>
    Effect.gen(function* () {
      const outcome = yield* observing
      const decode = Schema.decodeUnknownSync(PathInput)
      for (const row of corpus<unknown>("b_paths")) {
        const input = decode(row.input)
        const { op } = input
        if (input.platform !== undefined || !(op === "read" || op === "write" || op === "list" || op === "remove"))
          continue
        yield* Effect.scoped(
          Effect.gen(function* () {
            const tree = yield* Tree.scoped
            const at = (name: string) => Tree.at(tree, name)
            yield* Tree.build(tree, [...fixture, ...input.fs])
            for (const name of [input.cwd, input.home, ...input.roots]) fs.mkdirSync(at(name), { recursive: true })
            const context = yield* PathContext.make(
              contextOf({ cwd: at(input.cwd), roots: input.roots.map(at), home: at(input.home) })
            )
            const path = Tree.at(tree, input.path)
            const own = Either.match(judgeNow(path, op, context), {
              onLeft: ({ decision }) => decision,
              onRight: ({ verdict }) => verdict.decision
            })
            const { said, why } = yield* outcome(op, { path }, context)
            assert.strictEqual(said, own, `${row.id} ${input.path} ${why}`)
          })
        )
      }
    }).pipe(Effect.provide(Processes.layer))
  )

  it.scopedLive("every address is judged as it is for our own tools (X2, S4)", () =>
    Effect.gen(function* () {
      const outcome = yield* observing
      const decode = Schema.decodeUnknownSync(UrlInput)
      const context = contextOf({ cwd: "/w", roots: ["/w"], home: "/home/u" })
      for (const row of corpus<unknown>("a_ssrf")) {
        const input = decode(row.input)
        const rules = rulesOf(input)
        const { said, why } = yield* outcome("fetch", { url: input.url }, context, rules)
        assert.strictEqual(said, Either.isLeft(judgeUrl(input.url, rules)) ? "deny" : "allow", `${row.id} ${why}`)
      }
    })
  )

  it.scopedLive(
    "a shell text reaches no secret by another name of its file, and changes nothing protected (X2, S3)",
    () =>
      Effect.gen(function* () {
        const outcome = yield* observing
        const at = yield* directory
        const [home, work] = [`${at}/home`, `${at}/home/w`]
        fs.mkdirSync(`${home}/.ssh`, { recursive: true })
        fs.mkdirSync(`${work}/src`, { recursive: true })
        fs.writeFileSync(`${home}/.ssh/id_rsa`, "secret")
        fs.linkSync(`${home}/.ssh/id_rsa`, `${work}/src/notes`)
        fs.writeFileSync(`${work}/src/plain`, "plain")
        const context = yield* PathContext.make(contextOf({ cwd: work, roots: [work], home }))
        const said = (text: string) => Effect.map(outcome("run", { text }, context), ({ said }) => said)
        assert.strictEqual(yield* said("cat src/plain"), "allow")
        for (const text of ["cat src/notes", "grep -r x src", "grep -r x .", "cat src/*"]) {
          assert.notStrictEqual(yield* said(text), "allow", text)
        }
        for (const text of ["rm -rf ~/.ssh", "echo x > .tollgate/config.json", "cp src/plain ~/.ssh/authorized_keys"]) {
          assert.strictEqual(yield* said(text), "deny", text)
        }
      })
  )
})
