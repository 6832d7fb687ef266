import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import { agent, payload, stage } from "./support.ts"

const opencode = agent("opencode")

interface Inner {
  readonly tool: string
  readonly parameters: object
}
const bash = (command: string): Inner => ({ tool: "bash", parameters: { command, description: "d" } })

const sent = (workspace: string, tool: string, args: unknown) => ({
  ...payload("opencode-bash", workspace),
  cwd: workspace,
  tool,
  args
})
const batch = (workspace: string, calls: unknown) => sent(workspace, "batch", { tool_calls: calls })

/** Calls of every kind: fine, bad, forbidden, and of tools and parameters that nobody knows. */
const inner = FastCheck.constantFrom<Inner>(
  bash("cat a.txt"),
  bash("npm test"),
  bash("git reset --hard"),
  bash("rm -rf /"),
  { tool: "read", parameters: { filePath: "a.txt" } },
  { tool: "read", parameters: { filePath: ".env" } },
  { tool: "write", parameters: { filePath: "b.txt", content: "" } },
  { tool: "write", parameters: { filePath: ".git/hooks/x", content: "" } },
  { tool: "grep", parameters: { pattern: "x", path: ".." } },
  { tool: "webfetch", parameters: { url: "http://127.0.0.1/" } },
  { tool: "todowrite", parameters: { todos: [] } },
  { tool: "nosuch", parameters: {} },
  { tool: "bash", parameters: { command: "ls", env: { A: "b" } } }
)

describe("the calls that one call of opencode holds", () => {
  it.scoped.prop(
    "are judged as if each came by itself, and answered by the strictest (X5)",
    { calls: FastCheck.array(inner, { minLength: 1, maxLength: 4 }) },
    ({ calls }) =>
      Effect.gen(function* () {
        const { answer, workspace } = yield* stage
        fs.writeFileSync(path.join(workspace, "a.txt"), "")
        fs.writeFileSync(path.join(workspace, ".env"), "A=1")
        const alone = yield* Effect.forEach(calls, ({ parameters, tool }) =>
          answer(opencode, sent(workspace, tool, parameters))
        )
        const { reason, said } = yield* answer(opencode, batch(workspace, calls))
        const wanted = alone.some((one) => one.said === "deny") ? "deny" : "allow"
        assert.strictEqual(said, wanted, `${JSON.stringify(calls)} ${reason}`)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.scoped("are judged by the rules that each would meet (X5)", () =>
    Effect.gen(function* () {
      const { answer, config, workspace } = yield* stage
      const rule = { id: "r", decision: "deny", tool: "run_shell", argv: ["npm", "test"] }
      config({ approvals: { rules: [rule] } })
      const { reason, said } = yield* answer(opencode, batch(workspace, [bash("ls"), bash("npm test")]))
      assert.strictEqual(said, "deny")
      assert.include(reason, "npm test")
      assert.strictEqual((yield* answer(opencode, batch(workspace, [bash("ls")]))).said, "allow")
    })
  )

  it.scoped("are denied together where they cannot be read (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const ls = bash("ls")
      for (const calls of [
        undefined,
        null,
        [],
        {},
        "ls",
        JSON.stringify([ls]),
        [null],
        ["ls"],
        [ls, {}],
        [ls, { tool: "bash" }],
        [ls, { tool: "bash", parameters: "ls" }],
        [ls, { ...ls, name: "x" }],
        [ls, { tool: "demo_put_file", parameters: {} }],
        [ls, { tool: "batch", parameters: { tool_calls: [ls] } }],
        Array.from({ length: 26 }, () => ls)
      ]) {
        const { said } = yield* answer(opencode, batch(workspace, calls))
        assert.strictEqual(said, "deny", JSON.stringify(calls))
      }
      const more = sent(workspace, "batch", { tool_calls: [ls], calls: [bash("rm -rf /")] })
      assert.strictEqual((yield* answer(opencode, more)).said, "deny")
      const most = Array.from({ length: 25 }, () => ls)
      assert.strictEqual((yield* answer(opencode, batch(workspace, most))).said, "allow")
    })
  )

  it.scoped("are no more than its own database where Copilot CLI asks that by SQL (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const of = (query: string) =>
        answer(agent("copilot"), {
          ...payload("copilot-bash", workspace),
          toolName: "sql",
          toolArgs: { description: "Attach a todo", query }
        })
      for (const query of [
        "ATTACH '/home/u/.config/x.db' AS x",
        'select 1; attach database "x" as y',
        "VACUUM INTO '/home/u/.bashrc'",
        "SELECT load_extension('./x.so')",
        "SELECT \"load_extension\"('./x.so')",
        "-- it's fine\nATTACH 'x' AS y; -- '",
        "/* ' */ attach 'x' as y /* ' */",
        "PRAGMA temp_store_directory = '/etc'"
      ])
        assert.strictEqual((yield* of(query)).said, "ask", query)
      for (const query of [
        "SELECT * FROM todos WHERE status = 'pending'",
        "INSERT INTO todos (id, title) VALUES ('a', 'Attach the file; it''s a pragma')"
      ])
        assert.strictEqual((yield* of(query)).said, "nothing", query)
    })
  )

  it.scoped("of other tools by which models call several are not known to any agent, and never allowed (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const calls = { tool_calls: [bash("rm -rf /")], tool_uses: [bash("rm -rf /")], code: "rm -rf /" }
      const shapes: ReadonlyArray<readonly [file: string, tool: string, input: string]> = [
        ["claude-bash", "tool_name", "tool_input"],
        ["codex-bash", "tool_name", "tool_input"],
        ["gemini-shell", "tool_name", "tool_input"],
        ["qwen-shell", "tool_name", "tool_input"],
        ["copilot-bash", "toolName", "toolArgs"],
        ["opencode-bash", "tool", "args"]
      ]
      for (const [file, tool, input] of shapes) {
        const [name = ""] = file.split("-")
        for (const many of [
          "batch",
          "multi_tool_use.parallel",
          "MultiTool",
          "repl",
          "REPL",
          "js_repl",
          "code",
          "exec"
        ]) {
          const call = { ...payload(file, workspace), cwd: workspace, [tool]: many, [input]: calls }
          assert.include(["ask", "deny"], (yield* answer(agent(name), call)).said, `${name} ${many}`)
        }
      }
    })
  )
})
