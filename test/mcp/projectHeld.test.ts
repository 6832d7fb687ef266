import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Host } from "../../src/host/Host.ts"
import type { Project } from "../../src/host/Project.ts"
import * as ProjectHeld from "../../src/mcp/gateway/ProjectHeld.ts"
import { none, type ServerNews } from "../../src/mcp/Servers.ts"

describe("the project that a gateway holds", () => {
  it.scoped("still tells of its servers where its files have changed while it was made (X2)", () =>
    Effect.gen(function* () {
      const hearing = new Set<(news: ServerNews) => void>()
      const follow = (hear: (news: ServerNews) => void) => {
        hearing.add(hear)
        return () => void hearing.delete(hear)
      }
      const project = { servers: { ...none, follow } } as Project
      let stamp = 0
      const host = Host.of({
        directory: "/p",
        locate: (directory) => Effect.succeed({ directory, project: directory }),
        stamp: () => Effect.sync(() => `${stamp++}`),
        project: () => Effect.succeed(project)
      })
      const held = yield* Effect.provideService(ProjectHeld.make("/p"), Host, host)
      const told: Array<ServerNews> = []
      held.follow((news) => told.push(news))
      for (let time = 0; time < 2; time++) {
        assert.strictEqual(yield* held.current, project)
        for (const hear of hearing) hear({ kind: "tools" })
      }
      assert.deepStrictEqual(told, [{ kind: "tools" }, { kind: "tools" }])
    })
  )
})
