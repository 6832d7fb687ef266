import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Approvals } from "../approval/Approvals.ts"
import { describe, Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { RuleStore } from "../approval/RuleStore.ts"
import { Audit } from "../audit/Audit.ts"
import { Host } from "../host/Host.ts"
import { knownRules } from "../host/KnownRules.ts"
import { Ids } from "../tool/Ids.ts"
import { Approving, Caller, Viewing } from "./Access.ts"
import { NotFound, Rejected } from "./ApiError.ts"
import { Project, Query, Text } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { placeOf } from "./placeOf.ts"
import { stored } from "./stored.ts"

const KnownRule = Schema.Struct({
  rule: Rule,
  /** In words. */
  description: Schema.String,
  /** The file that it is written in. */
  source: Schema.String,
  /** Saved by an answer, or here; it can be revoked. */
  saved: Schema.Boolean,
  /** Why it does not count, where it does not. */
  ignored: Schema.optionalWith(Schema.String, { exact: true })
})

export type KnownRule = typeof KnownRule.Type

/** A rule as a person writes it; its id is made. */
export const NewRule = Schema.Struct({
  ...Project,
  ...Struct.omit(Rule.fields, "id", "level", "basis")
}).annotations({ identifier: "NewRule", parseOptions: { onExcessProperty: "error" } })

export type NewRule = typeof NewRule.Type

const Question = Schema.Struct({
  /** A session that is open here, by whose mode, grants and rules the call is judged. */
  session: Schema.optionalWith(Schema.String, { exact: true }),
  ...Project,
  tool: Schema.String,
  parameters: Schema.Unknown
}).annotations({ identifier: "RuleQuestion", parseOptions: { onExcessProperty: "error" } })

const Verdict = Schema.Struct({
  verdict: Schema.Literal("allow", "ask", "deny", "fail"),
  because: Schema.String,
  rule: Schema.optionalWith(Rule, { exact: true })
})

export const group = HttpApiGroup.make("rules")
  .add(
    HttpApiEndpoint.get("list", "/v1/rules")
      .setUrlParams(Query(Project))
      .addSuccess(Schema.Struct({ rules: Schema.Array(KnownRule) }))
      .addError(NotFound)
      .annotate(OpenApi.Description, "Every rule of a project: of the user, of its own file, and saved.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("try", "/v1/rules/try")
      .setPayload(Question)
      .addSuccess(Verdict)
      .addError(NotFound)
      .annotate(
        OpenApi.Description,
        "What would happen to a call, and which rule, grant or mode says so. Nothing runs."
      )
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("save", "/v1/rules")
      .setPayload(NewRule)
      .addSuccess(KnownRule, { status: 201 })
      .addError(NotFound)
      .addError(Rejected)
      .annotate(OpenApi.Description, "Saves a rule for a project; open sessions apply it from their next task.")
      .middleware(Approving)
  )
  .add(
    HttpApiEndpoint.del("revoke", "/v1/rules/:rule")
      .setPath(Schema.Struct({ rule: Text }))
      .setUrlParams(Query(Project))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .annotate(OpenApi.Description, "Takes back a saved rule.")
      .middleware(Approving)
  )

export const live = HttpApiBuilder.group(base.add(group), "rules", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { project } }) =>
      Effect.gen(function* () {
        const known = yield* stored(knownRules(yield* placeOf(project)))
        return {
          rules: known.map(({ ignored, ...one }) => ({
            ...one,
            description: describe(one.rule),
            ...(ignored === undefined ? {} : { ignored })
          }))
        }
      })
    )
    .handle("try", ({ payload: { parameters, project, session, tool: name } }) =>
      Effect.gen(function* () {
        const place = yield* placeOf(project)
        const host = yield* Host
        const { tools } = yield* stored(host.project(place))
        const tool = tools.tools.get(name)
        if (tool === undefined) return yield* new NotFound({ message: `There is no tool ${name.slice(0, 100)}.` })
        const of = session === undefined ? { project: place.project } : { session }
        const { because, rule, verdict } = yield* (yield* Approvals).explain({ tool, parameters, ...of })
        return { verdict, because, ...(rule === undefined ? {} : { rule }) }
      }).pipe(Effect.scoped)
    )
    .handle("save", ({ payload: { project: directory, ...written } }) =>
      Effect.gen(function* () {
        const { directory: root, project } = yield* placeOf(directory)
        const { name } = yield* Caller
        const rule = { ...written, id: yield* (yield* Ids).next("rule"), level: "user" as const }
        const fault = RuleBook.make([rule], { root, trusted: true })
        if (Either.isLeft(fault)) return yield* new Rejected({ message: fault.left.message, error: fault.left._tag })
        yield* (yield* Audit).commit({
          kind: "rule_saved",
          session: "",
          tool: rule.tool,
          decided_by: `user ${name}`,
          reason: rule.id,
          scope: "always"
        })
        yield* stored((yield* RuleStore).save(project, rule))
        return { rule, description: describe(rule), source: "", saved: true }
      })
    )
    .handle("revoke", ({ path: { rule }, urlParams: { project: directory } }) =>
      Effect.gen(function* () {
        const { project } = yield* placeOf(directory)
        const { name } = yield* Caller
        if (!(yield* stored((yield* RuleStore).remove(project, rule)))) {
          return yield* new NotFound({ message: `${project} has no saved rule ${rule.slice(0, 100)}.` })
        }
        yield* (yield* Audit).commit({ kind: "revoked", session: "", decided_by: `user ${name}`, reason: rule })
      })
    )
)
