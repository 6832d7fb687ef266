import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { agent, shellPayload, stage } from "./support.ts"

const commands = ["cp -f x.csv data.csv", "npm test", "make"]

/** A stage with a directory beside the workspace, and a project in the workspace. */
const staged = Effect.map(stage, (found) => {
  const other = path.join(found.home, "other")
  fs.mkdirSync(other)
  fs.mkdirSync(path.join(found.workspace, "packages/a/src"), { recursive: true })
  return { ...found, other }
})

const shell = (cwd: string, roots: unknown, command: string) => ({
  ...shellPayload("cursor", command, cwd),
  workspace_roots: roots
})

const cursor = agent("cursor")

describe("the directories that are open in an agent", () => {
  it.scoped("bound the workspace, wherever a call says that it runs (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, home, other, workspace } = yield* staged
      for (const command of commands) {
        for (const cwd of [other, home, path.dirname(home), "/tmp"]) {
          const { reason, said } = yield* answer(cursor, shell(cwd, [workspace], command))
          assert.strictEqual(said, "deny", `${command} ${cwd} ${reason}`)
          assert.notMatch(reason, /not judged/)
        }
        for (const cwd of [workspace, path.join(workspace, "packages/a")]) {
          const { reason, said } = yield* answer(cursor, shell(cwd, [workspace], command))
          assert.strictEqual(said, "allow", `${command} ${cwd} ${reason}`)
        }
      }
    })
  )

  it.scoped("are what a call of Cursor is judged in by the hook of Claude Code as well (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, other, workspace } = yield* staged
      for (const cwd of [other, workspace]) {
        const sent = { ...shell(cwd, [workspace], "npm test"), cursor_version: "3.1" }
        assert.strictEqual((yield* answer(agent("claude"), sent)).said, cwd === other ? "deny" : "allow", cwd)
      }
    })
  )

  it.scoped("are no wider than they were opened, also in a repository (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* staged
      const opened = path.join(workspace, "packages/a")
      assert.strictEqual((yield* answer(cursor, shell(opened, [opened], "npm test"))).said, "allow")
      assert.strictEqual((yield* answer(cursor, shell(opened, [opened], "git add src/a.ts"))).said, "allow")
      assert.strictEqual((yield* answer(cursor, shell(workspace, [opened], "npm test"))).said, "deny")
      assert.strictEqual((yield* answer(cursor, shell(opened, [opened], "cp a.txt ../b.txt"))).said, "deny")
      const write = { ...shell(opened, [opened], ""), hook_event_name: "preToolUse", tool_name: "Write" }
      for (const [file, wanted] of [
        ["src/a.ts", "allow"],
        [path.join(opened, "a.ts"), "allow"],
        [path.join(workspace, "a.ts"), "deny"]
      ] as const) {
        const { said } = yield* answer(cursor, { ...write, tool_input: { file_path: file, content: "" } })
        assert.strictEqual(said, wanted, file)
      }
    })
  )

  it.scoped("count only where they are there; without one of them nothing is allowed (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, other, workspace } = yield* staged
      const gone = path.join(workspace, "gone")
      for (const [cwd, roots, wanted] of [
        [other, [workspace, other], "allow"],
        [workspace, [other, workspace], "allow"],
        [workspace, [gone, "ws", workspace], "allow"],
        [other, [gone, workspace], "deny"],
        [workspace, [gone], "deny"],
        [workspace, ["ws"], "deny"],
        [workspace, ["."], "deny"],
        [workspace, ["/"], "deny"],
        [workspace, [], "deny"],
        [workspace, [""], "deny"],
        [workspace, workspace, "deny"],
        [workspace, [workspace, 1], "deny"],
        [workspace, { a: workspace }, "deny"],
        [workspace, null, "allow"],
        [workspace, undefined, "allow"]
      ] as const) {
        const { reason, said } = yield* answer(cursor, shell(cwd, roots, "npm test"))
        assert.strictEqual(said, wanted, `${cwd} ${JSON.stringify(roots)} ${reason}`)
      }
    })
  )

  it.scoped("are followed where they are links (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, home, other, workspace } = yield* staged
      const link = path.join(home, "link")
      fs.symlinkSync(workspace, link)
      fs.symlinkSync(other, path.join(workspace, "out"))
      assert.strictEqual((yield* answer(cursor, shell(workspace, [link], "npm test"))).said, "allow")
      const out = path.join(workspace, "out")
      assert.strictEqual((yield* answer(cursor, shell(out, [workspace], "npm test"))).said, "deny")
    })
  )

  it.scoped("say where a call runs that does not, and not where the hook itself runs (X5)", () =>
    Effect.gen(function* () {
      const { answer, other, workspace } = yield* staged
      const sent = { ...shell(other, [other], "cp -f x.csv data.csv"), cwd: undefined }
      assert.strictEqual((yield* answer(cursor, sent)).said, "allow")
      const write = { tool: "write", sessionID: "s", callID: "c", directory: other, worktree: other }
      for (const [filePath, wanted] of [
        [path.join(other, "a.txt"), "allow"],
        ["a.txt", "allow"],
        [path.join(workspace, "a.txt"), "deny"]
      ] as const) {
        const { reason, said } = yield* answer(agent("opencode"), { ...write, args: { filePath, content: "" } })
        assert.strictEqual(said, wanted, `${filePath} ${reason}`)
      }
    })
  )

  it.scoped("are the directory of the call where opencode knows of no repository (X5)", () =>
    Effect.gen(function* () {
      const { answer, other, workspace } = yield* staged
      const write = { tool: "write", sessionID: "s", callID: "c", directory: other, worktree: "/" }
      const of = (filePath: string) => answer(agent("opencode"), { ...write, args: { filePath, content: "" } })
      assert.strictEqual((yield* of(path.join(other, "a.txt"))).said, "allow")
      assert.strictEqual((yield* of(path.join(workspace, "a.txt"))).said, "deny")
    })
  )
})
