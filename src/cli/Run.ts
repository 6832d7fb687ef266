import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Approvals } from "../approval/Approvals.ts"
import { type ApprovalPolicy, exceeds } from "../approval/ApprovalPolicy.ts"
import { advised } from "./terminal/advice.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { checkProfile, type Chosen } from "./checkProfile.ts"
import { Configuration } from "../config/Configuration.ts"
import { builtin, type Choices, Host, layerConfigured, models } from "../host/Host.ts"
import { DeclareClientTools, Interrupt, SwitchModel } from "../runtime/Command.ts"
import type { Models } from "../model/Models.ts"
import { type Envelope, toLine } from "../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../runtime/Event.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { clientTools } from "../ui/clientCalls.ts"
import { open, type Opened, submit, type SubmitError, type Which } from "../ui/Conversation.ts"
import { visibleJson } from "../text/visible.ts"
import { present } from "../ui/present.ts"
import { Ui } from "../ui/Ui.ts"
import { flagsOf } from "./flags.ts"
import * as Frontend from "./Frontend.ts"
import { type JsonOptions, oneOf } from "./jsonOutput.ts"
import { converse } from "./LineProtocol.ts"
import * as Misnamed from "./misnamed.ts"
import { ApprovalWaits, type TaskEndedEarly, UsageError } from "./Outcome.ts"
import * as Distrust from "./distrust.ts"
import { readStdin } from "./readStdin.ts"
import { runTask } from "./runTask.ts"
import { sandboxText } from "./terminal/sandboxText.ts"
import { refuseUnconfined } from "./refuseUnconfined.ts"
import * as SandboxNote from "./sandboxNote.ts"
import { Screen } from "./terminal/Screen.ts"
import { resolve } from "./SessionId.ts"
import { warn } from "./warn.ts"

export interface RunOptions extends PolicyOptions, JsonOptions, Chosen {
  readonly prompt: ReadonlyArray<string>
  readonly inputFormat: "text" | "jsonl"
  /** The mode that lets most run of those that a program in front may set. */
  readonly upTo: Option.Option<ApprovalPolicy>
  readonly weight: Option.Option<string>
  readonly outputFormat: Option.Option<Output>
  /** Lines alone in the terminal. */
  readonly screenReader: boolean
}

/** How the output is written: for a person, as one document at the end, or as a line for each event. */
export type Output = "text" | "json" | "jsonl"

/** What the options say of the output. */
export const outputOf = (
  options: JsonOptions & Partial<Pick<RunOptions, "inputFormat" | "outputFormat">>
): Effect.Effect<Output, UsageError> =>
  Effect.gen(function* () {
    yield* oneOf(options)
    const { inputFormat = "text", json, jsonl, outputFormat = Option.none() } = options
    const short = json ? "json" : jsonl ? "jsonl" : undefined
    const named = Option.getOrUndefined(outputFormat)
    if (short !== undefined && named !== undefined && short !== named) {
      return yield* new UsageError({ reason: `--${short} and --output-format ${named} cannot be combined.` })
    }
    const output = named ?? short
    if (inputFormat === "text") return output ?? "text"
    if (output !== undefined && output !== "jsonl") {
      return yield* new UsageError({ reason: "--input-format jsonl needs --output-format jsonl." })
    }
    return "jsonl"
  })

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
): Effect.Effect<{ readonly prompt: string; readonly typed: string }, UsageError> =>
  Effect.gen(function* () {
    const said = words.filter((word) => word !== "-").join(" ")
    if (process.stdin.isTTY && (said === "" || words.includes("-"))) {
      return yield* new UsageError({ reason: 'No prompt given. Say what to do: tollgate run "…"' })
    }
    const read = Effect.zipRight(Effect.forkScoped(waiting), readStdin)
    const text = process.stdin.isTTY ? "" : (yield* Effect.scoped(read)).trimEnd()
    const prompt = [said, text].filter((part) => part.trim() !== "").join("\n\n")
    return prompt === "" ? yield* new UsageError({ reason: "The prompt is empty." }) : { prompt, typed: said }
  })

/** Fails if a request of the session waits: its owner continues it, and asks. */
const nothingWaits = (session: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const [first] = (yield* store.unfinished(session)).requests
    if (first === undefined) return
    const [asked] = yield* store.read(session, first.seq, 1)
    const tool = asked?.event._tag === "ApprovalRequested" ? asked.event.request.tool : "a tool"
    // Where a living process has it open, that is what to say.
    yield* Effect.scoped(store.open({ session }))
    return yield* new ApprovalWaits({ session, approvalId: first.id, tool })
  })

/** The session that the options name, by any unique beginning of its id, and the project that it works in. */
export const projectOf = ({ last, session }: Pick<RunOptions, "session" | "last">) =>
  Effect.gen(function* () {
    const host = yield* Host
    const store = yield* SessionStore
    const here = yield* host.locate(host.directory)
    const named = Option.isSome(session) ? yield* resolve(session.value) : undefined
    const [latest] = last ? yield* store.list({ project: here.project, limit: 1 }) : []
    const id = named ?? latest?.id
    if (id === undefined) return { project: yield* host.project(here) }
    const { project } = yield* store.get(id)
    return { session: id, project: yield* host.project(yield* recordedPlace(store, { project, session: id })) }
  })

/**
 * Opens the session that the options name; a profile that was asked for holds for an old session too. Where somebody attends
 * to it, its calls can ask them; a program says itself which of its tools there are.
 */
export const openSession = (options: Pick<RunOptions, "profile" | "session" | "last">, attended: boolean | "program") =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { directory } = yield* Host
    const { project, session } = yield* projectOf(options)
    if (attended === false && session !== undefined) yield* nothingWaits(session)
    if ((yield* (yield* Approvals).policy(session ?? "")) === "sandboxed") yield* refuseUnconfined(project)
    const which: Which = session !== undefined ? { _tag: "Named", session } : { _tag: options.last ? "Last" : "New" }
    const opened = yield* open(which, directory)
    if (attended === true)
      yield* runtime.request(new DeclareClientTools({ session: opened.session, tools: clientTools }))
    if (which._tag !== "New" && Option.isSome(options.profile)) {
      yield* runtime.request(new SwitchModel({ session: opened.session, profile: options.profile.value }))
    }
    return { ...opened, project }
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
    const { prompt, typed } = yield* promptOf(options.prompt)
    const { interactive } = yield* Screen
    const attended = interactive && output === "text"
    const policy = yield* policyOf(options, attended)
    yield* checkProfile(options)
    const begin = (opened: Opened) => submit(opened, prompt, { typed, weight: Option.getOrUndefined(options.weight) })
    yield* perform({ ...options, output }, begin, attended).pipe(Effect.provide(agent(policy, attended)))
  }).pipe(
    Effect.provide(Frontend.layer({ split: true, keys: isText(options) })),
    Effect.provide(Configuration.layer(flagsOf(options)))
  )

/** Whether a person reads the output. */
const isText = ({ inputFormat, json, jsonl, outputFormat }: RunOptions): boolean =>
  !json && !jsonl && inputFormat === "text" && Option.getOrElse(outputFormat, () => "text") === "text"

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

/** What came of a task, as one document. */
const resultOf = (session: string, task: string | undefined, end: TerminalEvent | undefined): string => {
  const { _tag, ...said } = end ?? { _tag: "Stopped" as const }
  const outcome = {
    TaskCompleted: "completed",
    TaskFailed: "failed",
    TaskInterrupted: "interrupted",
    Stopped: "stopped"
  }
  return `${visibleJson(JSON.stringify({ session, ...(task === undefined ? {} : { task }), outcome: outcome[_tag], ...said }))}\n`
}

/** Lines of JSON name no command. */
const helped = (ended: TaskEndedEarly) => {
  const said = advised(ended.message, ended)
  return said === ended.message ? Effect.void : warn(said)
}

/** Begins a task in the session that the options name, and shows it to its end. */
export const perform = (
  options: Pick<RunOptions, "profile" | "session" | "last"> & { readonly output: Output },
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
      mode: yield* approvals.policy(opened.session),
      sandbox: sandboxText(settings.sandbox)
    })
    yield* Effect.forkScoped(SandboxNote.tried(opened.project))
    yield* Distrust.warn(opened.project.config)
    yield* Misnamed.warn(opened.project.config)
    yield* Effect.ensuring(
      runTask(opened, begin(opened), (events) =>
        present(
          events,
          attended
            ? {
                decide: (decision) => Effect.ignore(runtime.send(decision)),
                unmasked: approvals.unmasked,
                issues: approvals.issues,
                foreseen: approvals.foreseen,
                answer: (answer) => Effect.ignore(runtime.send(answer))
              }
            : {}
        )
      ),
      ui.stop
    )
  }).pipe(Effect.scoped)
