import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Answer, Approval } from "../../src/ui/Display.ts"
import type { Step } from "../../src/ui/Narrator.ts"
import { type ToolRequest, Ui } from "../../src/ui/Ui.ts"

export interface RecordingOptions {
  /** How the person answers; it denies where absent. */
  readonly approve?: (approval: Approval) => Effect.Effect<Answer>
  /** What the person types, line by line. */
  readonly lines?: ReadonlyArray<string>
  /** The tools that the person runs where they are offered; then they go on. */
  readonly requests?: ReadonlyArray<ToolRequest>
}

/** A frontend for tests: it notes what it is told in `record` and answers as it is told to. */
export const layer = (record: Array<Step>, options: RecordingOptions = {}): Layer.Layer<Ui> =>
  Layer.sync(Ui, () => {
    const lines = [...(options.lines ?? [])]
    const requests = [...(options.requests ?? [])]
    const note = (step: Step) => Effect.sync(() => void record.push(step))
    return {
      start: () => Effect.void,
      stop: Effect.void,
      display: note,
      diff: (diff) => note({ _tag: "Diff", diff }),
      progress: (progress) => note({ _tag: "Progress", progress }),
      showTools: () => Effect.void,
      workers: () => Effect.void,
      status: (text) => note({ _tag: "Status", text }),
      approve: (approval) =>
        Effect.zipRight(
          note({ _tag: "Ask", approval }),
          options.approve?.(approval) ?? Effect.succeed<Answer>({ decision: "deny" })
        ),
      question: () => Effect.sync(() => Option.fromNullable(lines.shift())),
      input: () => Effect.sync(() => Option.fromNullable(lines.shift())),
      interruptions: Stream.never,
      asides: Stream.never,
      toolRequests: () => Effect.sync(() => Option.fromNullable(requests.shift())),
      notify: (notice) => note({ _tag: "Notice", notice })
    }
  })
