import * as Effect from "effect/Effect"
import * as path from "node:path"
import { own } from "../../../approval/rendering/Line.ts"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { visibleLine } from "../../../text/visible.ts"
import { many } from "../../../ui/Words.ts"
import { diffSize } from "../../terminal/diffRows.ts"
import { showPages } from "../../terminal/pages.ts"
import { Screen } from "../../terminal/Screen.ts"
import { diffLines } from "../../terminal/transcript/folding.ts"
import { command } from "./Command.ts"

/** Events that are looked through, the last ones of a session. */
const lookedThrough = 10_000

export const diff = command({
  name: "diff",
  group: "work",
  summary: "show the files that this session has changed, page by page",
  details: "Changes made by commands are not in it; git diff shows those: !git diff",
  run: (_, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("no changes yet")
      const store = yield* SessionStore
      const { head } = yield* store.get(session.session)
      const events = yield* store.read(session.session, Math.max(1, head - lookedThrough + 1), lookedThrough)
      const changes = events.flatMap(({ event }) => (event._tag === "FileChanged" ? [event] : []))
      if (changes.length === 0) return yield* prompt.say("no changes yet · !git diff shows those of commands")
      const near = (file: string) => visibleLine(path.relative(session.directory, file))
      const shown = changes.map(({ change, diff, oldPath, path: file }) => {
        const { added, removed } = diffSize(diff ?? { text: "" })
        const from = oldPath === undefined ? "" : ` from ${near(oldPath)}`
        const size = diff === undefined ? "" : `  +${added} −${removed}`
        return { title: `${change} ${near(file)}${from}${size}`, lines: diff === undefined ? [] : diffLines(diff) }
      })
      const files = new Set(changes.map((one) => one.path)).size
      const lines = [
        own("field", `${many(changes.length, "change")} of ${many(files, "file")} in this session, in their order`),
        ...shown.flatMap(({ lines, title }) => [own("field", ""), own("title", title), ...lines])
      ]
      // A terminal that only gets lines has no pages.
      if ((yield* Screen).plain) yield* prompt.say(lines.map(({ text }) => text).join("\n"))
      else yield* showPages({ lines, counted: 0 })
    })
})
