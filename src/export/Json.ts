import * as Stream from "effect/Stream"
import { visibleJson } from "../text/visible.ts"
import { type Entry, format, version } from "./Document.ts"
import type { StoredSession } from "./StoredSession.ts"

const text = (value: unknown): string => visibleJson(JSON.stringify(value))

/** The lines of an array, each element on its own. */
const elements = <E>(entries: Stream.Stream<Entry, E>, of: (entry: Entry) => unknown): Stream.Stream<string, E> =>
  entries.pipe(
    Stream.map(of),
    Stream.filter((one) => one !== undefined),
    Stream.zipWithIndex,
    Stream.map(([one, index]) => `${index === 0 ? "" : ","}\n${text(one)}`)
  )

/** The document as JSON, one message and one event per line; nothing is lost. */
export const json = ({ entries, session }: StoredSession) => {
  const messages = elements(entries, (entry) => ("message" in entry ? entry.message : undefined))
  const events = elements(entries, (entry) => ("happened" in entry ? entry.happened : undefined))
  const head = `{"format":${text(format)},"version":${version},\n"session":${text(session)},\n"messages":[`
  return Stream.make(head).pipe(
    Stream.concat(messages),
    Stream.concat(Stream.make(`\n],\n"events":[`)),
    Stream.concat(events),
    Stream.concat(Stream.make("\n]}\n"))
  )
}
