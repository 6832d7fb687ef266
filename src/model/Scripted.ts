import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { free } from "../cost/Price.ts"
import { jsonError } from "../redaction/jsonError.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import { ModelRejected, type ModelError } from "./ModelError.ts"
import { noUsage, type FinishReason, type ModelPart, type Usage } from "./ModelPart.ts"
import { type Refused, stream } from "./Push.ts"
import { Script, type ScriptStep, type ScriptTurn } from "./Script.ts"

/** Problems that a message names. */
const shown = 3

export class ScriptInvalid extends Schema.TaggedError<ScriptInvalid>()("ScriptInvalid", {
  source: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    const more = this.problems.length > shown ? `; and ${this.problems.length - shown} more` : ""
    return `The script ${this.source} cannot be played: ${this.problems.slice(0, shown).join("; ")}${more}. Fix the file.`
  }
}

/** A turn by its steps, or at length. A predicate of `when` sees the whole request. */
export type Turn =
  | string
  | ReadonlyArray<ScriptStep>
  | (Omit<ScriptTurn, "when"> & { readonly when?: string | ((request: ModelRequest) => boolean) })

export interface ScriptedModel extends ModelService {
  /** The requests seen so far. */
  readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
}

export interface Options {
  readonly name?: string | undefined
  /** Where the turns are from, for errors. */
  readonly source?: string
  /** Whether requests are kept, as tests want; on by default. */
  readonly record?: boolean
}

type LongTurn = Exclude<Turn, string | ReadonlyArray<ScriptStep>>

const lengthen = (turn: Turn): LongTurn =>
  typeof turn === "string" ? { steps: [{ say: turn }] } : "steps" in turn ? turn : { steps: turn }

const matches = (when: string | ((request: ModelRequest) => boolean) | undefined, request: ModelRequest): boolean =>
  when === undefined ||
  (typeof when === "string" ? (request.messages.at(-1)?.message.content ?? "").includes(when) : when(request))

const chunksOf = (text: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof text === "string" ? [text] : text

/** A part that comes at once, or what happens before the next. */
type Played = ModelPart | Effect.Effect<void, ModelError>

const play = (name: string, answer: number, steps: ReadonlyArray<ScriptStep>): ReadonlyArray<Played> => {
  const run: Array<Played> = []
  let calls = 0
  let usage: Usage = noUsage
  let finish: FinishReason | undefined
  for (const step of steps) {
    for (const text of chunksOf(step.say ?? [])) run.push({ _tag: "TextDelta", text })
    for (const text of chunksOf(step.think ?? [])) run.push({ _tag: "ReasoningDelta", text })
    if (step.call !== undefined) {
      calls++
      const { id = `call_${answer}_${calls}`, name, arguments: given = {} } = step.call
      const text = typeof given === "string" ? given : JSON.stringify(given)
      run.push({ _tag: "ArgumentsDelta", id, name, text }, { _tag: "FunctionCalled", id, name, arguments: text })
    }
    if (step.wait !== undefined) run.push(Effect.sleep(step.wait))
    if (step.fail !== undefined) run.push(Effect.fail(step.fail))
    if (step.die !== undefined) run.push(Effect.die(new Error(step.die)))
    if (step.usage !== undefined) usage = { ...usage, ...step.usage }
    finish = step.finish ?? finish
  }
  run.push({ _tag: "Finished", reason: finish ?? (calls > 0 ? "tool_calls" : "stop"), usage, model: name })
  return run
}

const played = (turns: number): string =>
  turns === 0 ? "it has no turns" : turns === 1 ? "its one turn was played" : `all of its ${turns} turns were played`

/**
 * A model that plays turns, offline. Each request takes the first turn that is left and whose `when`, if any, matches;
 * when none is, it fails with a `ModelRejected` that says so.
 */
export const make = (turns: ReadonlyArray<Turn>, options: Options = {}): Effect.Effect<ScriptedModel> =>
  Effect.sync((): ScriptedModel => {
    const name = options.name ?? "scripted"
    const script = turns.map(lengthen)
    const used = new Set<number>()
    const requests: Array<ModelRequest> = []
    let first = 0
    let answers = 0

    const take = (request: ModelRequest): LongTurn | undefined => {
      while (used.has(first)) first++
      for (let index = first; index < script.length; index++) {
        const turn = script[index]
        if (turn === undefined || used.has(index) || !matches(turn.when, request)) continue
        if (turn.repeat !== true) used.add(index)
        return turn
      }
      return undefined
    }

    /** Continues the numbering of the conversation: call ids differ after a resumption too. */
    const number = (request: ModelRequest): number => {
      const answered = request.messages.reduce((n, { message }) => (message.role === "assistant" ? n + 1 : n), 0)
      answers = Math.max(answers, answered) + 1
      return answers
    }

    const where = options.source === undefined ? "" : ` in ${options.source}`
    const exhausted = () =>
      new ModelRejected({
        model: name,
        reason:
          used.size === script.length
            ? `the script is over: ${played(script.length)}${where}. Add a turn or let one repeat.`
            : `no turn left in the script (${script.length - used.size} of ${script.length}${where}) matches the last message. Add one that does, or leave out its "when".`
      })

    return {
      name,
      price: free,
      served: { provider: "scripted" },
      stream: (request) =>
        stream((tell) =>
          Effect.suspend(() => {
            if (options.record !== false) requests.push(request)
            const turn = take(request)
            if (turn === undefined) return Effect.fail(exhausted())
            return Effect.forEach(
              play(name, number(request), turn.steps),
              (one): Effect.Effect<void, ModelError | Refused> => (Effect.isEffect(one) ? one : tell(one)),
              { discard: true }
            )
          })
        ),
      requests: Effect.sync(() => [...requests])
    }
  })

const decode = Schema.decodeUnknownEither(Script, { onExcessProperty: "error", errors: "all" })

const parse = (text: string): Either.Either<Script, ReadonlyArray<string>> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: () => [jsonError(text)] }).pipe(
    Either.flatMap((json) =>
      Either.mapLeft(decode(json), (error) =>
        mistakesOf(error).map(({ path, problem }) => (path.length === 0 ? problem : `${path.join(".")}: ${problem}`))
      )
    )
  )

/** Plays the text of a script file; `source` names it in errors. */
export const fromJson = (text: string, source: string): Effect.Effect<ScriptedModel, ScriptInvalid> =>
  Either.match(parse(text), {
    onLeft: (problems) => Effect.fail(new ScriptInvalid({ source, problems })),
    onRight: (script) => make(script.turns, { name: script.model, source, record: false })
  })
