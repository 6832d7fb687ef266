import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Approvals } from "../approval/Approvals.ts"
import type { ApprovalPolicy, PolicyVerdict } from "../approval/ApprovalPolicy.ts"
import { Disk } from "../approval/Disk.ts"
import type { Rule } from "../approval/Rule.ts"
import { Audit } from "../audit/Audit.ts"
import { Configuration } from "../config/Configuration.ts"
import * as Pace from "../system/Pace.ts"
import type { Place } from "../runtime/Projects.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { Workspace } from "../tools/Workspace.ts"
import { asked } from "./asked.ts"
import { Host } from "./Host.ts"
import { callsOf } from "./OwnCalls.ts"
import type { PastCall } from "./PastCall.ts"
import * as ProjectConfig from "./ProjectConfig.ts"
import * as ToolServices from "./ToolServices.ts"

/** Sessions of a project that are looked into, and calls that are judged: the latest. */
const maxSessions = 50
const maxCalls = 500

/** A call of before: what the rules as they are make of it, and what they would with the rule. */
export interface TriedCall extends PastCall {
  readonly before: PolicyVerdict
  readonly after: PolicyVerdict
  /** The rule decides it. */
  readonly fits: boolean
  readonly because: string
}

export interface RuleTrial {
  /** In which the calls were judged. */
  readonly mode: ApprovalPolicy
  readonly tried: ReadonlyArray<TriedCall>
  /** Calls that cannot be judged: of tools that are gone, or with parameters that they do not take. */
  readonly unjudged: number
}

const decodeJson = Schema.decodeUnknownEither(Schema.parseJson())

/** The calls of the latest sessions of a project, those of the latest first. */
const latest = ({ project }: Place) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const found: Array<PastCall> = []
    for (const { id } of yield* store.list({ project, limit: maxSessions })) {
      const calls = yield* Stream.runCollect(Stream.takeRight(callsOf(id, project), maxCalls))
      found.push(...Chunk.toReadonlyArray(calls).toReversed())
      if (found.length >= maxCalls) break
    }
    return found.slice(0, maxCalls)
  })

/**
 * Judges calls of before in a project by its rules, without a rule and with it, in a mode, that of new sessions if unset; nothing
 * runs, nobody is asked and nothing is kept. Fails where the rule is not valid.
 */
export const tryRule = (place: Place, rule: Rule, mode?: ApprovalPolicy) =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { directory, project } = place
    const policy = mode ?? (yield* (yield* Approvals).state()).policy
    const { tools } = yield* (yield* Host).project(place)
    const { rules, trusted } = ProjectConfig.rulesIn(settings, place)(yield* ProjectConfig.read(project))
    const judges = (rules: ReadonlyArray<Rule>) =>
      Approvals.layerAudited({ policy, root: directory, home: home.user, rules, trusted }).pipe(
        Layer.provide([Audit.layerMemory, Disk.layerLocal(isIgnoredDirectory)]),
        Layer.build,
        Effect.map(Context.get(Approvals))
      )
    const [without, within] = [yield* judges(rules), yield* judges([...rules, rule])]
    const workspace = yield* Effect.provide(
      Workspace,
      Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
    )
    const sandbox = Effect.provide(Sandbox, Sandbox.layerNone)
    const services = yield* Layer.build(ToolServices.layer({ env: {}, sandbox, settings, workspace }))

    const judged = (call: PastCall): Effect.Effect<TriedCall | undefined> =>
      Effect.gen(function* () {
        const tool = tools.tools.get(call.tool)
        const parameters = decodeJson(call.input)
        const decoded = Either.flatMap(parameters, (given) => tool?.codec.decode()(given) ?? Either.left([]))
        if (tool === undefined || Either.isLeft(parameters) || Either.isLeft(decoded)) return undefined
        const wanted = yield* Effect.provide(asked(tool, decoded.right), services)
        if (Either.isLeft(wanted)) {
          return { ...call, before: "deny", after: "deny", fits: false, because: wanted.left } as const
        }
        const question = { tool, parameters: parameters.right, project, asks: wanted.right }
        const { verdict: before } = yield* without.explain(question)
        const { because, rule: decides, verdict: after } = yield* within.explain(question)
        return { ...call, before, after, fits: decides?.id === rule.id, because }
      }).pipe(Effect.catchAllDefect(() => Effect.succeed(undefined)))

    const pace = Pace.make()
    const all = yield* Effect.forEach(yield* latest(place), (call) => Effect.zipRight(pace, judged(call)))
    const tried = all.filter((call) => call !== undefined)
    return { mode: policy, tried, unjudged: all.length - tried.length }
  }).pipe(Effect.scoped)
