import canonicalize from "canonicalize"
import * as crypto from "node:crypto"
import { memo } from "../system/memo.ts"
import type { PreviewTarget } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"

/** The RFC 8785 form of a JSON value; half a character has none, and is escaped in the JSON text as a string. */
const canonical = (value: unknown): string => {
  try {
    return canonicalize(value) ?? "null"
  } catch {
    return JSON.stringify(JSON.stringify(value))
  }
}

/** SHA-256, in hexadecimal, over the canonical form of a JSON value. */
export const sha256 = (value: unknown): string => crypto.createHash("sha256").update(canonical(value)).digest("hex")

/** What a tool is known by. */
export type Identified = Pick<Tool.Any, "name" | "description" | "location" | "readOnly" | "idempotent"> & {
  readonly codec: Pick<Tool.Codec, "jsonSchema">
}

/** The identity of a tool: a definition swapped after an approval does not match. */
export const definition = memo(new WeakMap<Identified, string>(), (tool) =>
  sha256({
    name: tool.name,
    description: tool.description,
    parameters: tool.codec.jsonSchema(),
    location: tool.location,
    readOnly: tool.readOnly,
    idempotent: tool.idempotent
  })
)

/** The part of a call that a decision is bound to. */
export type Bound = Pick<ToolCall, "name" | "tool" | "rawParams" | "workerPath" | "sessionId">

/** What a person sees of a call besides its parameters, and decides on. */
export interface Seen {
  readonly summary: string | undefined
  readonly diff: string | undefined
  /** What the preview and a longer answer rely on, by its hashes. */
  readonly targets: ReadonlyArray<PreviewTarget>
  /** What the call touches; JSON. */
  readonly touches: unknown
}

/**
 * Everything a decision is bound to, in one number: tool and its definition, parameters after hooks and validation, what
 * was shown with its base hashes, what it touches, worker, session. A stored request whose call has another one by now is
 * withdrawn and asked anew, and so is each that was stored while the number covered less.
 */
export const digest = (call: Bound, { diff, summary, targets, touches }: Seen): string =>
  sha256({
    tool: call.name,
    definition: definition(call.tool),
    parameters: call.rawParams,
    summary,
    diff,
    targets: targets.map(({ baseHash, path }) => ({ baseHash, path })),
    touches,
    worker: call.workerPath,
    session: call.sessionId
  })
