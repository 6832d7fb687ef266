import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { InvokeTool } from "../../src/runtime/Command.ts"
import { lastTodos } from "../../src/runtime/lastTodos.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import type { TodoItem } from "../../src/tool/ToolEvent.ts"
import { Todo } from "../../src/tools/Todo.ts"
import { Narrator } from "../../src/ui/Narrator.ts"

const todo = (...items: ReadonlyArray<readonly [string, TodoItem["status"]]>) => ({
  items: items.map(([text, status]) => ({ text, status }))
})
const call = (given: ReturnType<typeof todo>) => ({ call: { name: "todo", arguments: given } })

describe("todo", () => {
  it.effect("replaces the whole list, which is shown when it changes, and outlives the runtime (U9, U12)", () =>
    Effect.gen(function* () {
      const first = todo(["look", "active"], ["mend", "pending"])
      const second = todo(["look", "done"], ["mend", "active"])
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        const events = yield* session.run("go")
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const narrator = new Narrator()
        const notes = events
          .flatMap((envelope) => narrator.tell(envelope))
          .flatMap((step) => (step._tag === "Note" ? [step.text] : []))
        assert.deepStrictEqual(notes, ["▸ look\n☐ mend", "☑ look\n▸ mend"])
        const store = yield* SessionStore
        const head = events.at(-1)?.seq ?? 0
        assert.deepStrictEqual(yield* lastTodos(store, session.id, head), second.items)
        const parameters = todo()
        yield* session.send(new InvokeTool({ session: session.id, task: "t2", tool: "todo", parameters }))
        yield* session.awaitEnd("t2")
        const after = (yield* session.recorded).at(-1)?.seq ?? 0
        assert.deepStrictEqual(yield* lastTodos(store, session.id, after), [])
        assert.isUndefined(yield* lastTodos(store, session.id, 1))
      }).pipe(Effect.provide(Testing.layer({ tools: [Todo], model: [[call(first)], [call(second)], "Done"] })))
    })
  )
})
