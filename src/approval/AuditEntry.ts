import * as Schema from "effect/Schema"

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
  "registration_warning"
)
export type AuditKind = typeof AuditKind.Type

const text = Schema.NullOr(Schema.String)

/** One line of the audit. Absent where it does not apply: null. */
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
   * `granted`, `denied`, `expired`, `withdrawn`, or the name of the error of a refused decision; of a delegate that left the
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
