import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { NamedWorkers } from "../agent/NamedWorker.ts"
import type { Spans } from "../agent/Spans.ts"
import { wholeNumber } from "../system/wholeNumber.ts"

/** What a runtime may be told; every value has a default. */
export class RuntimeOptions extends Context.Reference<RuntimeOptions>()("tollgate/runtime/RuntimeOptions", {
  defaultValue: (): RuntimeSettings => defaults
}) {}

export interface RuntimeSettings {
  readonly systemPrompt: string
  /** Follows the system prompt for a sub-worker. */
  readonly workerPrompt: string
  /** Model requests of a task itself, and of each of its sub-workers. */
  readonly maxIterations: number
  /** Characters of the conversation that go into one request. */
  readonly contextCharacters: number
  /** Whether a summary by the model replaces a conversation that is about to become too long for it. */
  readonly autoCompact: boolean
  /** Read-only calls of one answer that run at the same time. */
  readonly parallelCalls: number
  /** Calls of one answer that run at the same time where their tool is concurrent, as those that start sub-workers. */
  readonly parallelWorkers: number
  /** Levels of sub-workers below the root. */
  readonly maxDepth: number
  /** Sub-workers of one task. */
  readonly maxWorkers: number
  /** The named workers of sessions whose project has none of its own. */
  readonly workers: NamedWorkers
  /** How long one task may take; infinite where it is only ended by a person. */
  readonly taskTimeout: Duration.Duration
  /** How long an interrupted task may take to clean up before its terminal event is written anyway. */
  readonly interruptGrace: Duration.Duration
  /** How long the end of the runtime waits for all that was told to stop before and has not ended, by the clock of its fiber. */
  readonly stragglerGrace: Duration.Duration
  /** Tasks of one session that may wait; more are rejected. */
  readonly maxQueuedTasks: number
  /** After so long without a task, a command and a watcher a session is closed, until its next command opens it again. */
  readonly releaseIdleAfter: Duration.Duration
  /** Commands that may wait before `send` does. */
  readonly commandCapacity: number
  /** Spans around workers and model requests; only where a tracer listens, since they are not free. */
  readonly spans: Spans
}

export const defaults: RuntimeSettings = {
  systemPrompt:
    "You are an agent that works through tools. Some calls need the user's approval; if one is denied, respect it and " +
    "find another way or ask. Say briefly what you did.",
  workerPrompt:
    "Another agent gave you one task. You see nothing of its conversation and no one answers you. Do the task, then end " +
    "with its result, complete and brief: only your last text is kept. If you cannot continue without " +
    'knowing what you cannot find out, call need_input with your question, or end with "I need to know" and what.',
  maxIterations: 100,
  contextCharacters: 400_000,
  autoCompact: true,
  parallelCalls: 16,
  parallelWorkers: 4,
  maxDepth: 4,
  maxWorkers: 32,
  workers: {},
  taskTimeout: Duration.infinity,
  interruptGrace: Duration.seconds(5),
  stragglerGrace: Duration.seconds(5),
  maxQueuedTasks: 64,
  releaseIdleAfter: Duration.minutes(10),
  commandCapacity: 64,
  spans: false
}

/** The least that each number may be; all of them may be infinite. */
const least = {
  maxIterations: 1,
  contextCharacters: 1,
  parallelCalls: 1,
  parallelWorkers: 1,
  maxDepth: 0,
  maxWorkers: 0,
  maxQueuedTasks: 0,
  commandCapacity: 1
} as const satisfies { readonly [K in keyof RuntimeSettings as number extends RuntimeSettings[K] ? K : never]: number }

/** The same settings; a number that would hold a runtime for ever, or lift one of its limits, is a defect. */
export const checked = (settings: RuntimeSettings): Effect.Effect<RuntimeSettings> =>
  Effect.sync(() => {
    for (const [name, lowest] of Struct.entries(least))
      wholeNumber(`RuntimeOptions: ${name}`, settings[name], { least: lowest, orInfinite: true })
    return settings
  })
