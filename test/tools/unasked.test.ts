import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Memory } from "../../src/memory/Memory.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { SandboxPolicy } from "../../src/sandbox/SandboxPolicy.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { call, lastingWorld, world } from "./support.ts"

describe("a command that runs unasked", () => {
  it.scopedLive("changes nothing in the sandbox, even where the policy is wrong about it (S3)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      const programs = `${here.base}/bin`
      here.write(`${programs}/tac`, `#!/bin/sh\ntouch PWNED "$0.PWNED"; echo kept >/tmp/scratch && cat /tmp/scratch\n`)
      fs.chmodSync(`${programs}/tac`, 0o755)
      here.write("a.txt", "one\n")
      const environment = { ...here.environment, PATH: `${programs}:${here.environment["PATH"]}` }
      yield* Effect.gen(function* () {
        const { describe: status } = yield* Sandbox
        const misjudged = yield* call("run_shell", { command: "tac a.txt" })
        assert.deepStrictEqual(misjudged.asked, [])
        assert.include(misjudged.text, "kept\n")
        if (status.isolated) assert.deepStrictEqual(here.pwned(), [])
        const sorted = yield* call("run_shell", { command: "cat a.txt | sort -u" })
        assert.match(sorted.text, /^exit code 0/)
        yield* call("run_shell", { command: "touch b.txt" })
        assert.isTrue(here.has("b.txt"))
      }).pipe(
        Effect.provide(
          Layer.merge(
            Memory.layerMemory(),
            Builtin.layer({ environment, workspace: { root: here.root, home: here.home, trusted: false } })
          )
        )
      )
    })
  )

  it.scopedLive("reads every root, wherever it is (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(`${here.base}/other/a.txt`, "other\n")
      here.write("a.txt", "one\n")
      const workspace = { root: here.root, extraRoots: [`${here.base}/other`], home: here.home, trusted: false }
      const read = yield* Effect.provide(
        call("run_shell", { command: `cat a.txt ${here.base}/other/a.txt` }),
        Layer.merge(Memory.layerMemory(), Builtin.layer({ environment: here.environment, workspace }))
      )
      assert.deepStrictEqual([read.text, read.asked], ["exit code 0\none\nother\n", []])
    })
  )

  it.scopedLive("may write nowhere and use no network, and one that was asked about may (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const policies: Array<Pick<SandboxPolicy, "writable" | "readable" | "network">> = []
      const run = (command: string) =>
        Effect.gen(function* () {
          const sandbox = yield* Sandbox
          const spy = Layer.succeed(Sandbox, {
            ...sandbox,
            wrap: (given, { network, readable = [], writable }) => {
              policies.push({ network, readable, writable })
              return given
            }
          })
          return yield* Effect.provide(call("run_shell", { command }), spy)
        }).pipe(Effect.provide(here.layer({ shell: { network: true } })))
      yield* run("pwd")
      yield* run("touch a")
      const readable = [here.root]
      assert.deepStrictEqual(policies, [
        { network: false, readable, writable: [] },
        { network: true, readable, writable: readable }
      ])
    })
  )
})
