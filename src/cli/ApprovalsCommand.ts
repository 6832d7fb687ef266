import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { SentAnswer } from "../approval/AnswerBox.ts"
import { Audit } from "../audit/Audit.ts"
import { RuleStore } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import { type OpenRequest, openRequests } from "../runtime/openRequests.ts"
import { duration } from "../text/duration.ts"
import { many } from "../ui/Words.ts"
import { type KnownRule } from "./KnownRules.ts"
import * as KnownRules from "./KnownRules.ts"
import { hanging } from "./terminal/Layout.ts"
import { fieldsOf, shortId, shortDigest } from "./AnswerCommand.ts"
import { project } from "./here.ts"
import * as Records from "../host/Stores.ts"
import * as JsonOutput from "./jsonOutput.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { oneLine } from "../text/visible.ts"

/** What is to be revoked is not there, not alone, or not revocable. */
export class RuleNotRevoked extends Schema.TaggedError<RuleNotRevoked>()("RuleNotRevoked", {
  id: Schema.String,
  project: Schema.String,
  /** How many saved rules the id could mean. */
  saved: Schema.Number,
  /** The file that the rule is written in by hand. */
  written: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    if (this.written !== undefined) return `Rule ${this.id} is in ${this.written}; remove it there.`
    return this.saved > 1
      ? `${this.saved} saved rules of ${this.project} begin with ${this.id}; use a longer prefix. Nothing has changed.`
      : `No saved rule of ${this.project} begins with ${this.id}. tollgate approvals list shows them.`
  }
}

const screen = Screen.layer({ split: false })

/** Rows of a table whose last column takes as many lines as it needs. */
const table = (rows: ReadonlyArray<readonly [head: ReadonlyArray<string>, text: string]>, width: number): string => {
  const wide = (rows[0]?.[0] ?? []).map((_, index) => Math.max(...rows.map(([head]) => head[index]?.length ?? 0)))
  return rows
    .map(([head, text]) =>
      hanging(head.map((cell, index) => `${cell.padEnd(wide[index] ?? 0)}  `).join(""), text, width)
    )
    .join("")
}

export type ListOptions = JsonOutput.JsonOptions

/** The maximum number of listed requests. */
const maxWaiting = 100

const openRecord = ({ answered, ...open }: OpenRequest): string =>
  JSON.stringify({ ...fieldsOf(open), ...(answered !== undefined && { answered }) })

const answers: Readonly<Record<SentAnswer["decision"], string>> = {
  approve: "yes",
  deny: "no",
  edit: "changed parameters"
}

/** Some open requests under a title, and what can be done about them. */
const showOpen = (open: ReadonlyArray<OpenRequest>, state: string, hint: string) =>
  Effect.gen(function* () {
    const { answer, style, width } = yield* Screen
    if (open.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const rows = open.map(({ answered, project, request }) => {
      const { digest, message, requestedAt, risk, sessionId, tool } = request
      const age = duration(Math.max(0, now - requestedAt))
      const said = answered === undefined ? "" : `${answers[answered.decision]} by ${answered.by} · `
      const text = `${said}${tool}: ${message} (in ${project}, digest ${digest.slice(0, shortDigest)})`
      return [[shortId(request), sessionId.slice(0, 16), age, risk], oneLine(text)] as const
    })
    yield* answer(`${style.bold(`${many(open.length, "request")} ${state}`)}\n${table(rows, width() - 1)}`)
    yield* answer(`${style.dim(hanging("", hint, width() - 1).trimEnd())}\n\n`)
  })

/** The open requests, with everything needed to answer those that wait. */
const showRequests = (open: ReadonlyArray<OpenRequest>) =>
  Effect.zipRight(
    showOpen(
      open.filter(({ answered }) => answered === undefined),
      "waiting",
      "Answer where the session runs, or: tollgate approvals show ID, tollgate approvals answer ID yes|no."
    ),
    showOpen(
      open.filter(({ answered }) => answered !== undefined),
      "answered",
      "An answer counts when its session goes on: tollgate --session ID, or its client calls again."
    )
  )

/** Lists what waits for an answer anywhere, and what was answered with `always` in this project. */
export const list = ({ json, jsonl }: ListOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const { answer, live, style, width } = yield* Screen
    const open = yield* openRequests(maxWaiting)
    const saved = (yield* KnownRules.all).filter((known) => known.saved)
    if (json || jsonl) {
      return yield* answer(JsonOutput.render([...open.map(openRecord), ...saved.map(KnownRules.record)], { json }))
    }
    yield* showRequests(open)
    const here = yield* project
    const note = "Session grants live in the running process and end with it."
    if (saved.length === 0) {
      const none = `No saved rules in ${here}. Answer a request with "always" to save one. ${note}`
      return yield* answer(hanging("", none, width() - 1))
    }
    const rows = saved.map((known) => [[KnownRules.shortId(known)], KnownRules.said(known)] as const)
    yield* answer(table(rows, width() - 1))
    if (!live) return
    const hint = `${many(saved.length, "saved rule")} of ${here} · tollgate approvals revoke ID. ${note}`
    yield* answer(`\n${style.dim(hanging("", hint, width() - 1).trimEnd())}\n`)
  }).pipe(
    Effect.provide(Layer.merge(Records.decided, Records.sessions)),
    Effect.provide(screen),
    Effect.provide(ReadOnlyHome.reading)
  )

/** Shows every rule with its level and the file that it is from. */
export const rules = ({ json, jsonl }: ListOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const { answer, width } = yield* Screen
    const known = yield* KnownRules.all
    if (json || jsonl) return yield* answer(JsonOutput.render(known.map(KnownRules.record), { json }))
    if (known.length === 0) {
      const { home } = yield* Configuration
      const none = `No rules for ${yield* project}. Write them under approvals.rules in ${home.config}, or answer a request with "always".`
      return yield* answer(hanging("", none, width() - 1))
    }
    const rows = known.map(
      (one) => [[KnownRules.shortId(one), one.rule.level], `${KnownRules.said(one)}  (${oneLine(one.source)})`] as const
    )
    yield* answer(table(rows, width() - 1))
  }).pipe(Effect.provide(Records.decided), Effect.provide(screen), Effect.provide(ReadOnlyHome.reading))

const named = (known: ReadonlyArray<KnownRule>, id: string): ReadonlyArray<KnownRule> => {
  const exact = known.filter(({ rule }) => rule.id === id)
  return exact.length > 0
    ? exact
    : known.filter(({ rule }) => rule.id.startsWith(id) || rule.id.startsWith(`rule_${id}`))
}

/** Takes back one saved rule of this project, by any unique beginning of its id. */
export const revoke = ({ id, json }: { readonly id: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { answer, width } = yield* Screen
    const here = yield* project
    const known = yield* KnownRules.all
    const [found, ...others] = named(
      known.filter(({ saved }) => saved),
      id
    )
    if (found === undefined || others.length > 0) {
      const written = known.find(({ rule, saved }) => !saved && rule.id === id)
      return yield* new RuleNotRevoked({
        id,
        project: here,
        saved: others.length + (found === undefined ? 0 : 1),
        ...(found === undefined && written !== undefined ? { written: written.source } : {})
      })
    }
    const { rule } = found
    const audit = yield* Audit
    const removed = yield* (yield* RuleStore).remove(here, rule.id)
    if (!removed) return yield* new RuleNotRevoked({ id, project: here, saved: 0 })
    yield* audit.commit({ kind: "revoked", session: "", tool: rule.tool, decided_by: "user", reason: rule.id })
    if (json) return yield* JsonOutput.document({ ...KnownRules.fields(found), revoked: true })
    const text = `${KnownRules.said(found)}. Open sessions apply this from their next task.`
    yield* answer(hanging("revoked  ", text, width() - 1))
  }).pipe(
    Effect.provide(Layer.merge(Records.audit, Records.decided)),
    Effect.provide(screen),
    Effect.provide(Configuration.layer())
  )
