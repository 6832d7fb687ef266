import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { makeVisible } from "../text/visible.ts"
import type { ToolCall } from "../tool/ToolCall.ts"

/** What an entry of the audit is about. */
export const AuditKind = Schema.Literal(
  "requested",
  "resolved",
  "automatic",
  "consulted",
  "decision_refused",
  "revoked",
  "grant_made",
  "rule_saved",
  "policy_set",
  "reserved_name_attempt",
  "registration_warning",
  "mcp_approved"
)
export type AuditKind = typeof AuditKind.Type

const text = Schema.NullOr(Schema.String)

/** One line of the audit; fields that do not apply are null. */
export const AuditRow = Schema.Struct({
  /** From 1 without a gap. */
  id: Schema.Number,
  /** Epoch milliseconds. */
  time: Schema.Number,
  kind: AuditKind,
  session: Schema.String,
  worker: text,
  tool: text,
  call: text,
  approval: text,
  digest: text,
  /** JSON, redacted and cut. */
  arguments: text,
  decision: Schema.NullOr(Schema.Literal("approve", "deny")),
  /**
   * `granted`, `denied`, `expired`, `withdrawn`, or the name of the error of a refused decision; of a reviewer that left the
   * decision to the mode, whether it `passed` or `failed`.
   */
  outcome: text,
  scope: text,
  /** The person, rule, grant, policy or program that decided. */
  decided_by: text,
  reason: text,
  waited_millis: Schema.NullOr(Schema.Number),
  previous: Schema.String,
  hash: Schema.String
})
export type AuditRow = typeof AuditRow.Type

/** What is recorded; the arguments as they are, redaction follows. */
export interface AuditEntry extends Partial<
  Omit<AuditRow, "id" | "time" | "kind" | "session" | "worker" | "arguments" | "previous" | "hash">
> {
  readonly kind: AuditKind
  readonly session: string
  readonly worker?: ReadonlyArray<string>
  readonly arguments?: unknown
}

/** An entry about a call. */
export const entryOf = (call: ToolCall, kind: AuditKind, more: Partial<AuditEntry>): AuditEntry => ({
  kind,
  session: call.sessionId,
  worker: call.workerPath,
  tool: call.name,
  call: call.callId,
  arguments: call.rawParams,
  ...more
})

/** An entry and when it was taken down, in epoch milliseconds. */
export interface Timed {
  readonly time: number
  readonly entry: Omit<AuditEntry, "arguments"> & { readonly arguments: string | null }
}

/** The end of a chain: how many entries there are and the hash of the last. */
export interface Head {
  readonly id: number
  readonly hash: string
}

/** Before the first entry. */
export const start: Head = { id: 0, hash: "0".repeat(64) }

/** HMAC-SHA256, in hexadecimal, over the JSON of all fields of a row but its own hash, in the order of the schema. */
const hashOf = (key: Uint8Array, row: AuditRow): string =>
  crypto
    .createHmac("sha256", key)
    .update(
      JSON.stringify([
        row.id,
        row.time,
        row.kind,
        row.session,
        row.worker,
        row.tool,
        row.call,
        row.approval,
        row.digest,
        row.arguments,
        row.decision,
        row.outcome,
        row.scope,
        row.decided_by,
        row.reason,
        row.waited_millis,
        row.previous
      ])
    )
    .digest("hex")

const maxReason = 1000

const line = (text: string | null | undefined): string | null =>
  text === undefined || text === null ? null : makeVisible(text.slice(0, maxReason)).replaceAll("\n", " ")

/** The row of an entry behind `head`. */
export const rowOf = (key: Uint8Array, head: Head, { entry, time }: Timed): AuditRow => {
  const row: AuditRow = {
    id: head.id + 1,
    time,
    kind: entry.kind,
    session: line(entry.session) ?? "",
    worker: line(entry.worker?.join("/")),
    tool: line(entry.tool),
    call: line(entry.call),
    approval: line(entry.approval),
    digest: entry.digest ?? null,
    arguments: entry.arguments,
    decision: entry.decision ?? null,
    outcome: line(entry.outcome),
    scope: entry.scope ?? null,
    decided_by: line(entry.decided_by),
    reason: line(entry.reason),
    waited_millis: entry.waited_millis ?? null,
    previous: head.hash,
    hash: ""
  }
  return Object.assign(row, { hash: hashOf(key, row) })
}

/** What is wrong with a row that should follow `head`; nothing where it does. */
export const fault = (key: Uint8Array, head: Head, row: AuditRow): string | undefined =>
  row.id !== head.id + 1
    ? `entry ${head.id + 1} is missing`
    : row.previous !== head.hash
      ? "it does not follow the entry before it"
      : row.hash !== hashOf(key, row)
        ? "it was changed"
        : undefined

/** The first entry that is wrong, and how. */
export interface Break {
  readonly entry: number
  readonly reason: string
}

/** Why a chain that ends at `last` does not reach an anchored head; nothing where it does. */
export const cutBefore = (anchored: Head, last: Head): Break | undefined =>
  last.id < anchored.id
    ? {
        entry: last.id + 1,
        reason: `the end was cut: ${anchored.id} entries were anchored, ${last.id} remain`
      }
    : undefined

/** An entry that is there and is another than the one that was anchored. */
export const otherAt = (entry: number): Break => ({ entry, reason: "it is not the anchored entry" })

/** The outcome of a verification; `entry` is the first one that is wrong. */
export type Verification =
  { readonly intact: true; readonly entries: number } | ({ readonly intact: false; readonly entries: number } & Break)

/** Walks a chain from its beginning. */
export class Verifier {
  private head: Head = start
  private broken: Break | undefined
  private readonly key: Uint8Array
  private readonly anchor: Head
  private count = 0

  constructor(key: Uint8Array, anchor: Head) {
    this.key = key
    this.anchor = anchor
  }

  add(row: AuditRow): void {
    this.count += 1
    if (this.broken !== undefined) return
    const reason = fault(this.key, this.head, row)
    if (reason !== undefined) {
      this.broken = { entry: this.head.id + 1, reason }
      return
    }
    this.head = { id: row.id, hash: row.hash }
    if (this.anchor.id === row.id && this.anchor.hash !== row.hash) this.broken = otherAt(row.id)
  }

  /** What is wrong, if anything; `known` is a break that was found before and does not heal. */
  result(known?: Break): Verification {
    const found = this.broken ?? cutBefore(this.anchor, this.head)
    const first = known !== undefined && (found === undefined || known.entry <= found.entry) ? known : found
    return first === undefined
      ? { intact: true, entries: this.count }
      : { intact: false, entries: this.count, ...first }
  }
}
