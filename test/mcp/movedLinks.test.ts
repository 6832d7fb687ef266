import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import { approveAll, directory, planned, servers, tool } from "./support.ts"

describe("tools of MCP servers", () => {
  it.scopedLive("touch what they touched when they were decided on, wherever a link leads by then (X1, A2, A5)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const touches = { paths: [{ parameter: "at", op: "write" }] }
      const settings = {
        put: { touches },
        look: { readOnly: true, touches: { paths: [{ parameter: "at", op: "read" }] } }
      }
      const fix = planned(at, "fix", { tools: [tool("put"), tool("look")] }, { tools: settings })
      yield* approveAll(at, fix.known)
      for (const name of ["a.txt", "b.txt", ".env", ".git/hooks/pre-commit", "d/new"]) {
        fs.mkdirSync(path.dirname(path.join(at, name)), { recursive: true })
        fs.writeFileSync(path.join(at, name), name)
      }
      const link = (name: string, target: string) => {
        fs.rmSync(path.join(at, name), { recursive: true, force: true })
        fs.symlinkSync(path.join(at, target), path.join(at, name))
      }
      const all = yield* servers(at, [fix.known])
      const toolset = yield* Toolset.make(all.tools, { middleware: DefaultStack.make({}) })
      /** How a call ends whose link is made another while a person looks at it, and what the person was shown. */
      const moved = (tool: string, name: string, first: string, then: string) =>
        Effect.gen(function* () {
          link(path.dirname(name) === "." ? name : path.dirname(name), first)
          const shown: Array<string> = []
          const decide = ({ message }: ApprovalRequest) => {
            shown.push(message)
            link(path.dirname(name) === "." ? name : path.dirname(name), then)
            return { decision: "approve" } as const
          }
          const request = {
            callId: `${tool} ${then}`,
            sessionId: "s1",
            workerPath: ["root"],
            startedAt: 0,
            sink: silent
          }
          const before = fix.logged().length
          const ended = yield* Effect.either(
            Effect.provide(
              toolset.call({ ...request, name: `fix__${tool}`, rawParams: { at: name } }),
              Approvals.layerDecide(decide)
            )
          )
          const calls = fix
            .logged()
            .slice(before)
            .filter((line) => line.startsWith("call")).length
          return { shown, calls, why: Either.isLeft(ended) ? ended.left.message : "" }
        })
      const other = yield* moved("put", "link", "a.txt", "b.txt")
      assert.deepStrictEqual(other, {
        shown: [`link leads to ${at}/a.txt. Does put`, `link leads to ${at}/b.txt. Does put`],
        calls: 1,
        why: ""
      })
      for (const [tool, name, first, then] of [
        ["put", "link", "a.txt", ".git/hooks/pre-commit"],
        ["put", "sub/new", "d", ".git/hooks"],
        ["look", "link", "a.txt", ".env"]
      ] as const) {
        const { calls, why } = yield* moved(tool, name, first, then)
        assert.strictEqual(calls, 0, `${tool} ${then}`)
        assert.notStrictEqual(why, "")
      }
    })
  )
})
