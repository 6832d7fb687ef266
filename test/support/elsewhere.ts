import { Effect, Layer } from "effect"
import { AnswerBox } from "../../src/approval/AnswerBox.ts"
import { Database } from "../../src/database/Database.ts"
import { answerElsewhere } from "../../src/host/answerElsewhere.ts"
import { openRequests } from "../../src/runtime/openRequests.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import type { Place } from "../cli/command.ts"
import { database } from "../cli/stored.ts"

const stores = (at: Place) =>
  Layer.mergeAll(SqlSessionStore.layer, AnswerBox.layerSql).pipe(Layer.provide(Database.layer(database(at))))

/** The requests that are open in sessions of a place, as another process sees them. */
export const openAt = (at: Place): Promise<ReadonlyArray<ApprovalRequest>> =>
  openRequests(100).pipe(
    Effect.map((all) => all.map(({ request }) => request)),
    Effect.provide(stores(at)),
    Effect.runPromise
  )

/** Answers requests of a place from another process, and says what came of it. */
export const answerAt = (at: Place, requests: ReadonlyArray<ApprovalRequest>, decision: "approve" | "deny") =>
  Effect.forEach(requests, ({ digest, id: approvalId, sessionId }) =>
    answerElsewhere({ approvalId, sessionId, digest, decision, scope: "once", by: "user" })
  ).pipe(Effect.provide(stores(at)), Effect.runPromise)
