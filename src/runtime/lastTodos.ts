import * as Effect from "effect/Effect"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { TodoItem } from "../tool/ToolEvent.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import { isRewound } from "./Rewound.ts"
import type { SessionStore } from "./SessionStore.ts"

/** Events that are read at once, and in all. */
const page = 1000
const most = 50_000

/** The last list of steps of the root worker in a log that ends with event `head`; nothing where it has none lately. */
export const lastTodos = (
  store: SessionStore["Type"],
  session: string,
  head: number
): Effect.Effect<ReadonlyArray<TodoItem> | undefined, DatabaseError> =>
  Effect.gen(function* () {
    const rewound = yield* store.rewound(session)
    for (let end = head; end > 0 && head - end < most; end -= page) {
      const from = Math.max(1, end - page + 1)
      const events = yield* store.read(session, from, end - from + 1)
      const found = events.findLast(
        ({ event, seq, worker }) => event._tag === "TodosChanged" && isRoot(worker) && !isRewound(rewound, seq)
      )?.event
      if (found?._tag === "TodosChanged") return found.items
    }
    return undefined
  })
