import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { toolMessage } from "../../src/gate/conclude.ts"
import { modelView } from "../../src/conversation/ModelView.ts"
import { Database } from "../../src/database/Database.ts"
import { Memory } from "../../src/memory/Memory.ts"
import type { Means } from "./Cases.ts"
import { GuardedFetch } from "../../src/policy/network/GuardedFetch.ts"
import { HostPattern } from "../../src/policy/network/HostPattern.ts"
import { defaultRules } from "../../src/policy/network/NetworkRules.ts"
import { scriptedNetwork } from "./ScriptedNetwork.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { FetchUrl } from "../../src/tools/FetchUrl.ts"
import { parsePatch, patchTargets } from "../../src/tools/files/Patch.ts"
import { WebSettings } from "../../src/tools/web/WebSettings.ts"

const session = "case"

/** A memory in a database of its own, gone with the scope. */
const memory = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-case-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  )
  const context = yield* Layer.build(
    Memory.layerSql.pipe(Layer.provideMerge(Database.layer(path.join(folder, "case.db"))))
  )
  yield* Effect.provide(
    Effect.flatMap(Database, (database) =>
      database.write((connection) =>
        connection.executeRaw(
          "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES (?, '', '', 0, 0, 0)",
          [session]
        )
      )
    ),
    context
  )
  return context
})

const search: Means["search"] = (texts, query) =>
  Effect.flatMap(memory, (context) =>
    Effect.gen(function* () {
      const { record, retrieve } = yield* Memory
      yield* Effect.forEach(texts, (text) => record({ sessionId: session, scope: "session", text }), { discard: true })
      return (yield* retrieve({ sessionId: session, query, limit: 100 })).map(({ text }) => text)
    }).pipe(Effect.provide(context))
  ).pipe(Effect.scoped)

const page = "https://page.example/"

/** `fetch_url` on a network that never leaves the process, and what the conversation gives a model of its result. */
const deliver: Means["deliver"] = (body) =>
  Effect.gen(function* () {
    const pass = Toolset.make([FetchUrl], { gate: Gate.unguarded("a network that never leaves the process") })
    const result = yield* (yield* pass).call({
      name: FetchUrl.name,
      callId: "call",
      sessionId: session,
      workerPath: ["root"],
      rawParams: { url: page },
      startedAt: 0,
      sink: silent
    })
    const asked = { id: "call", type: "function" as const, function: { name: FetchUrl.name, arguments: "{}" } }
    const [, answer] = modelView([
      { id: "asked", message: { role: "assistant", content: null, tool_calls: [asked] } },
      toolMessage(asked.id, result.text)
    ])
    return answer?.message.content ?? ""
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.provide(
          GuardedFetch.layerGuard(defaultRules),
          scriptedNetwork(
            { "page.example": [["93.184.216.34"]] },
            { [page]: { headers: { "content-type": "text/plain" }, body } }
          ).layer
        ),
        Layer.succeed(WebSettings, {
          rules: defaultRules,
          unasked: [HostPattern.make({ host: "page.example", below: false, port: undefined })]
        })
      )
    )
  )

/** The parts of the product that cases need besides the policies. */
export const means: Means = {
  readPatch: (text) => Either.map(parsePatch(text), patchTargets),
  search,
  deliver
}
