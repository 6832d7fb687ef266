import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Approvals } from "../approval/Approvals.ts"
import { type ApprovalPolicy, exceeds } from "../approval/ApprovalPolicy.ts"
import { advised } from "../ui/advice.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { isRouted, type Seeing, withImages } from "./attached.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { checkProfile, type Chosen } from "./checkProfile.ts"
import { Configuration } from "../config/Configuration.ts"
import type { Choices } from "../host/approvals.ts"
import { builtin, layerConfigured } from "../host/Host.ts"
import { models } from "../host/models.ts"
import { Interrupt } from "../runtime/Command.ts"
import type { Models } from "../model/Models.ts"
import { type Envelope, toLine } from "../runtime/Envelope.ts"
import { isTerminal } from "../runtime/Event.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { type Opened, submit, type SubmitError } from "../ui/Conversation.ts"
import { present } from "../ui/present.ts"
import { Ui } from "../ui/Ui.ts"
import { flagsOf } from "./flags.ts"
import * as Frontend from "./Frontend.ts"
import { converse } from "./LineProtocol.ts"
import * as Misnamed from "./misnamed.ts"
import * as UnreadInstructions from "./unreadInstructions.ts"
import { openSession } from "./openSession.ts"
import { type TaskEndedEarly, UsageError } from "./Outcome.ts"
import { isText, type Output, outputOf, type OutputOptions, resultOf } from "./Output.ts"
import * as Distrust from "./distrust.ts"
import { readStdin } from "./readStdin.ts"
import { runTask } from "./runTask.ts"
import { sandboxText } from "./terminal/sandboxText.ts"
import * as SandboxNote from "./sandboxNote.ts"
import { Screen } from "./terminal/Screen.ts"
import { warn } from "./warn.ts"

export interface RunOptions extends PolicyOptions, OutputOptions, Chosen {
  readonly prompt: ReadonlyArray<string>
  /** The mode that lets most run of those that a program in front may set. */
  readonly upTo: Option.Option<ApprovalPolicy>
  readonly weight: Option.Option<string>
  /** Paths of images. */
  readonly image: ReadonlyArray<string>
  /** Lines alone in the terminal. */
  readonly screenReader: boolean
}

/** Fails if a weight is given that nothing is routed by. */
const checkWeight = ({ weight }: Pick<RunOptions, "weight">) =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { hooks = [], weights = {} } = settings.routing ?? {}
    if (Option.isNone(weight) || hooks.length > 0 || Object.hasOwn(weights, weight.value)) return
    const known = Object.keys(weights)
    const mend =
      known.length === 0
        ? `Name its profile: tollgate config set routing.weights '{"heavy":"PROFILE"}'.`
        : `Known: ${known.join(", ")}.`
    return yield* new UsageError({
      reason: `Nothing is configured for the weight ${JSON.stringify(weight.value)}. ${mend}`
    })
  })

/** Says why nothing happens where standard input stays open. */
const waiting = Effect.delay(
  Effect.sync(
    () => void process.stderr.write("tollgate: reading standard input to its end; use < /dev/null to skip it\n")
  ),
  "1 second"
)

/** The words, and standard input behind them where it is no terminal. */
const promptOf = (
  words: ReadonlyArray<string>
): Effect.Effect<{ readonly typed: string; readonly piped: string }, UsageError> =>
  Effect.gen(function* () {
    const said = words.filter((word) => word !== "-").join(" ")
    if (process.stdin.isTTY && (said === "" || words.includes("-"))) {
      return yield* new UsageError({ reason: 'No prompt given. Say what to do: tollgate run "…"' })
    }
    const read = Effect.zipRight(Effect.forkScoped(waiting), readStdin)
    const piped = process.stdin.isTTY ? "" : (yield* Effect.scoped(read)).trimEnd()
    return said.trim() === "" && piped.trim() === ""
      ? yield* new UsageError({ reason: "The prompt is empty." })
      : { typed: said, piped: piped.trim() === "" ? "" : piped }
  })

/** The user's host with the built-in tools and these models. */
export const agentOf = <E, R>(
  models: Layer.Layer<Models, E, R>,
  policy: ApprovalPolicy,
  attended: boolean,
  more: Pick<Choices, "most"> = {}
) => layerConfigured({ policy, attended, ...more }, builtin, models)

/** The same with the models of the configuration. */
export const agent = (policy: ApprovalPolicy, attended: boolean, more: Pick<Choices, "most"> = {}) =>
  agentOf(models, policy, attended, more)

export const run = (options: RunOptions) =>
  Effect.gen(function* () {
    if (options.last && Option.isSome(options.session)) {
      return yield* new UsageError({ reason: "--continue and --session cannot be combined." })
    }
    const output = yield* outputOf(options)
    if (options.inputFormat === "jsonl") return yield* inFront(options)
    if (Option.isSome(options.upTo))
      return yield* new UsageError({ reason: "--mode-up-to needs --input-format jsonl." })
    yield* checkWeight(options)
    const { piped, typed } = yield* promptOf(options.prompt)
    const { interactive } = yield* Screen
    const attended = interactive && output === "text"
    const policy = yield* policyOf(options, attended)
    yield* checkProfile(options)
    const { directory, env } = yield* Surroundings
    const { preferred, profiles, settings } = yield* Configuration
    // An earlier session has a profile of its own, which the runtime knows.
    const isOwn = Option.isNone(options.profile) && (options.last || Option.isSome(options.session))
    const seeing: Seeing = {
      profile: yield* preferred,
      profiles,
      isRouted: isOwn || isRouted(settings),
      choose: (profile) => `--profile ${profile}`
    }
    const { images, text } = yield* Effect.mapError(
      withImages(typed, options.image, { directory, home: env["HOME"] ?? "/" }, seeing),
      (error) => new UsageError({ reason: error.message })
    )
    const begin = (opened: Opened) =>
      submit(opened, [text, piped].filter((part) => part.trim() !== "").join("\n\n"), {
        typed,
        images,
        weight: Option.getOrUndefined(options.weight)
      })
    yield* perform({ ...options, output }, begin, attended).pipe(Effect.provide(agent(policy, attended)))
  }).pipe(
    Effect.provide(Frontend.layer({ split: true, keys: isText(options) })),
    Effect.provide(Configuration.layer(flagsOf(options)))
  )

/** Lets a program prompt, decide and answer by lines on standard input. */
const inFront = (options: RunOptions) =>
  Effect.gen(function* () {
    if (options.prompt.length > 0) {
      return yield* new UsageError({ reason: "--input-format jsonl takes prompts from standard input alone." })
    }
    const policy = yield* policyOf(options, true)
    const most = Option.getOrElse(options.upTo, () => policy)
    if (exceeds(policy, most)) {
      return yield* new UsageError({ reason: `The mode ${policy} lets more run than --mode-up-to ${most}.` })
    }
    yield* checkProfile(options)
    yield* Effect.gen(function* () {
      const { project, ...opened } = yield* openSession(options, "program")
      const ignored = Distrust.distrust(project.config)
      if (ignored !== undefined) yield* warn(ignored)
      yield* Effect.tapErrorTag(converse(opened), "TaskEndedEarly", helped)
    }).pipe(Effect.provide(agent(policy, true, { most })), Effect.scoped)
  })

/** Lines of JSON name no command. */
const helped = (ended: TaskEndedEarly) => {
  const said = advised(ended.message, ended)
  return said === ended.message ? Effect.void : warn(said)
}

/** Begins a task in the session that the options name, and shows it to its end. */
export const perform = (
  options: Chosen & { readonly output: Output },
  begin: (opened: Opened) => ReturnType<typeof submit>,
  attended: boolean
) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const approvals = yield* Approvals
    const screen = yield* Screen
    const ui = yield* Ui
    const { preferred, settings } = yield* Configuration
    const profile = yield* Effect.orElseSucceed(preferred, () => "no model")
    const opened = yield* openSession(options, attended)
    if (options.output !== "text") {
      const ignored = Distrust.distrust(opened.project.config)
      if (ignored !== undefined) yield* warn(ignored)
      if (options.output === "json") {
        let last: Envelope | undefined
        const kept = (events: Stream.Stream<Envelope, SubmitError>) =>
          Stream.runForEach(events, (envelope) =>
            Effect.sync(() => {
              if (isTerminal(envelope.event)) last = envelope
            })
          )
        const said = Effect.suspend(() => {
          const end = last?.event
          return screen.answer(
            resultOf(opened.session, last?.task, end !== undefined && isTerminal(end) ? end : undefined)
          )
        })
        return yield* runTask(opened, begin(opened), (events) => Effect.zipRight(kept(events), said)).pipe(
          Effect.tapErrorTag("TaskEndedEarly", helped)
        )
      }
      return yield* runTask(opened, begin(opened), (events) =>
        Stream.runForEachChunk(events, (chunk) =>
          screen.answer(Array.from(chunk, (one) => `${toLine(one)}\n`).join(""))
        )
      ).pipe(Effect.tapErrorTag("TaskEndedEarly", helped))
    }
    const interrupt = Effect.ignore(runtime.send(new Interrupt({ session: opened.session })))
    yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => interrupt))
    yield* ui.start({
      id: opened.session,
      profile,
      mode: (yield* approvals.state(opened.session)).policy,
      sandbox: sandboxText(settings.sandbox)
    })
    yield* Effect.forkScoped(SandboxNote.tried(opened.project))
    yield* Distrust.warn(opened.project.config)
    yield* Misnamed.warn(opened.project.config)
    yield* UnreadInstructions.warn(opened.project.instructions)
    yield* Effect.ensuring(
      runTask(opened, begin(opened), (events) =>
        present(
          events,
          attended
            ? {
                decide: (decision) => Effect.ignore(runtime.send(decision)),
                inspect: approvals.inspect,
                answer: (answer) => Effect.ignore(runtime.send(answer))
              }
            : {}
        )
      ),
      ui.stop
    )
  }).pipe(Effect.scoped)
