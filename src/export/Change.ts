import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { FileDiff } from "../tool/ToolEvent.ts"

/** A file that a tool changed, as a unified diff. */
export interface Change {
  readonly path: string
  readonly diff: string
}

const changed = Schema.decodeUnknownOption(Schema.TaggedStruct("FileChanged", { path: Schema.String, diff: FileDiff }))

/** The change that an event tells of. */
export const changeOf = (event: Readonly<Record<string, unknown>>): Change | undefined =>
  Option.getOrUndefined(
    Option.map(changed(event), ({ diff: { omitted, text }, path }) => ({
      path,
      diff: omitted === 0 ? text : `${text}\n… ${omitted} more lines`
    }))
  )
