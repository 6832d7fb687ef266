import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Audit } from "../audit/Audit.ts"
import type { AuditRow } from "../audit/AuditChain.ts"
import type { ToolStats } from "../audit/AuditStats.ts"
import { Configuration } from "../config/Configuration.ts"
import { cutMiddle, oneLine } from "../text/visible.ts"
import { duration } from "../text/duration.ts"
import { many } from "../ui/Words.ts"
import { hanging } from "./terminal/Layout.ts"
import { UsageError } from "./Outcome.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import * as Records from "../host/Stores.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { Screen } from "./terminal/Screen.ts"
import { isoTime } from "../text/isoTime.ts"

/** An entry of the audit is not what was written. */
export class AuditBroken extends Schema.TaggedError<AuditBroken>()("AuditBroken", {
  file: Schema.String,
  entry: Schema.Number,
  entries: Schema.Number,
  reason: Schema.String
}) {
  override get message() {
    return `The approval audit is broken at entry ${this.entry}: ${this.reason}. Entries before it are intact; later ones prove nothing. ${this.file} has ${many(this.entries, "entry", "entries")}.`
  }
}

export interface AuditOptions extends JsonOutput.JsonOptions {
  readonly verify: boolean
  readonly session: Option.Option<string>
}

/** Characters of the arguments that a line shows. */
const maxArguments = 200

const happened = (row: AuditRow): string => {
  switch (row.kind) {
    case "requested":
      return "asked"
    case "resolved":
    case "automatic":
      return row.outcome ?? row.kind
    case "consulted":
      return `reviewer ${row.outcome ?? "asked"}`
    case "policy_set":
      return `mode ${row.outcome ?? "?"}`
    case "decision_refused":
      return `answer refused (${row.outcome ?? "?"})`
    default:
      return row.kind.replaceAll("_", " ")
  }
}

const holds = (scope: string | null): string =>
  scope === "task"
    ? " for the task"
    : scope === "session"
      ? " for the session"
      : scope === "always"
        ? " for always"
        : ""

const entryLine = (row: AuditRow, width: number): string => {
  const time = isoTime(row.time)
  const parts = [
    time,
    happened(row),
    row.tool ?? "",
    row.decided_by === null ? "" : `by ${row.decided_by}${holds(row.scope)}`,
    row.reason === null ? "" : `(${row.reason})`,
    row.arguments === null ? "" : cutMiddle(row.arguments, maxArguments)
  ]
  const text = parts.flatMap((part) => (part === "" ? [] : [oneLine(part)])).join("  ")
  return hanging(`${String(row.id).padStart(5)}  `, text, width)
}

const verified = (json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { home } = yield* Configuration
    const found = yield* (yield* Audit).verify
    if (json) yield* answer(`${JSON.stringify(found)}\n`)
    if (!found.intact) {
      const { entries, entry, reason } = found
      return yield* new AuditBroken({ file: home.database, entry, entries, reason })
    }
    if (!json) yield* answer(`${style.green("✓")} intact: ${many(found.entries, "entry", "entries")}\n`)
  })

const isOf =
  (session: string) =>
  (row: AuditRow): boolean =>
    row.session.startsWith(session) || row.session.startsWith(`session_${session}`)

const listed = ({ json, jsonl, session }: AuditOptions) =>
  Effect.gen(function* () {
    const { answer, width } = yield* Screen
    const { entries } = yield* Audit
    const wanted = Option.match(session, { onNone: () => entries, onSome: (id) => Stream.filter(entries, isOf(id)) })
    const line = (row: AuditRow) => (jsonl ? `${JSON.stringify(row)}\n` : entryLine(row, width() - 1))
    if (json) {
      const rows = yield* Stream.runCollect(Stream.map(wanted, (row) => JSON.stringify(row)))
      return yield* answer(JsonOutput.render([...rows], { json }))
    }
    const count = yield* wanted.pipe(
      Stream.mapChunksEffect((chunk) => Effect.as(answer(Array.from(chunk, line).join("")), chunk)),
      Stream.runCount
    )
    if (count > 0 || jsonl) return
    const where = Option.match(session, { onNone: () => "", onSome: (id) => ` of a session ${oneLine(id)}` })
    yield* answer(`The audit has no entries${where} yet.\n`)
  })

/** Prints the audit, oldest entry first, as JSON exactly as it is stored; or says whether it is what was written. */
export const audit = (options: AuditOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(options)
    if (!options.verify) return yield* listed(options)
    if (Option.isSome(options.session)) {
      return yield* new UsageError({ reason: "The audit is one chain of all sessions; --verify takes no --session." })
    }
    yield* verified(options.json || options.jsonl)
  }).pipe(
    Effect.provide(Records.audit),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )

const statsText = (one: ToolStats): string => {
  const ends = (["granted", "denied", "expired", "withdrawn"] as const).flatMap((end) =>
    one[end] === 0 ? [] : [`${one[end]} ${end}`]
  )
  const parts = [
    `asked ${one.asked}${ends.length === 0 ? "" : `: ${ends.join(", ")}`}`,
    ...(one.automatic === 0 ? [] : [`${one.automatic} decided without asking`]),
    ...(one.maxMillis === 0 ? [] : [`answered in ${duration(one.meanMillis)}, ${duration(one.maxMillis)} at most`])
  ]
  return parts.join("; ")
}

/** Sums up, for each tool, how often it was asked for, what the answers were and how long people took. */
export const stats = ({ json, jsonl }: JsonOutput.JsonOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const { answer, width } = yield* Screen
    const found = yield* (yield* Audit).stats
    if (json || jsonl)
      return yield* answer(
        JsonOutput.render(
          found.map((one) => JSON.stringify(one)),
          { json }
        )
      )
    if (found.length === 0) return yield* answer("No requests yet.\n")
    const wide = Math.max(...found.map(({ tool }) => oneLine(tool).length))
    yield* answer(
      found.map((one) => hanging(`${oneLine(one.tool).padEnd(wide)}  `, statsText(one), width() - 1)).join("")
    )
  }).pipe(
    Effect.provide(Records.audit),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
