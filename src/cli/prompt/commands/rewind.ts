import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { visibleLine } from "../../../text/visible.ts"
import { rewindLines } from "../../rewindLines.ts"
import { ago } from "../../Sessions.ts"
import { Form } from "../../terminal/Form.ts"
import type { Session } from "../Session.ts"
import { type Carried, command, type Prompt } from "./Command.ts"

type Begun = Effect.Effect.Success<Session["prompts"]>[number]

/** Characters of a prompt in a list. */
const shown = 200

const lineOf = (text: string): string => visibleLine(text.trim().split("\n")[0] ?? "").slice(0, shown)

/** Shows what a rewind would do, asks, does it, and gives the prompt back to be changed. */
const rewound = (session: Session, { seq, text }: Begun, prompt: Prompt): Carried =>
  Effect.gen(function* () {
    const form = yield* Form
    const preview = yield* session.previewRewind(seq)
    const before = `before "${lineOf(text).slice(0, 60)}"`
    const agreed = yield* form.agree({ question: `Rewind to ${before}?`, about: rewindLines(preview, before) })
    if (!agreed) return yield* prompt.say("nothing was changed")
    yield* session.rewind(seq, preview.digest)
    yield* prompt.draft(text)
  })

/** The prompt of that number, or the one that the person picks. */
const chosen = (begun: ReadonlyArray<Begun>, argument: string, question: string) =>
  Effect.gen(function* () {
    if (argument !== "") return Option.fromNullable(begun[Number(argument) - 1])
    const form = yield* Form
    const now = yield* Clock.currentTimeMillis
    const items = begun
      .map((one, index) => ({
        value: one,
        row: `${String(index + 1).padStart(3)}  ${ago(now - one.time).padEnd(11)} ${lineOf(one.text)}`
      }))
      .reverse()
    return yield* form.pick({ question, items, declines: true })
  })

const isNumber = (argument: string): boolean => argument === "" || /^[1-9]\d{0,8}$/.test(argument)

const unknownNumber = (argument: string, begun: ReadonlyArray<Begun>): string =>
  begun.length === 0 ? "no prompt yet" : `no prompt ${argument} · give a number from 1 to ${begun.length}`

export const rewind = command({
  name: "rewind",
  group: "session",
  summary: "go back to before a prompt, with the files (or esc esc)",
  arguments: "[N]",
  details:
    "Without a number, pick the prompt. What the file tools have changed since is put back; a file that somebody else has changed as well " +
    "is named and left alone, and what commands have changed stays. The log keeps all of it.",
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      const begun = session === undefined ? [] : yield* session.prompts
      if (session === undefined || begun.length === 0) return yield* prompt.say("nothing to rewind yet")
      if (!isNumber(argument)) return yield* prompt.say(unknownNumber(argument, begun), "error")
      const target = yield* chosen(begun, argument, "Rewind to before which prompt?")
      if (Option.isSome(target)) return yield* rewound(session, target.value, prompt)
      if (argument !== "") yield* prompt.say(unknownNumber(argument, begun), "error")
    })
})

export const undo = command({
  name: "undo",
  group: "session",
  summary: "take back the last prompt and what its task changed in files",
  run: (_, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      const last = (session === undefined ? [] : yield* session.prompts).at(-1)
      if (session === undefined || last === undefined) return yield* prompt.say("nothing to undo yet")
      yield* rewound(session, last, prompt)
    })
})

export const fork = command({
  name: "fork",
  group: "session",
  summary: "copy this session, up to before prompt N if given, and go on in the copy",
  arguments: "[N]",
  details: "This session stays as it is; /resume returns to it. Its session grants do not hold in the copy.",
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("nothing to fork yet")
      const goOn = (copy: string) =>
        Effect.zipRight(prompt.say("copied · this session is unchanged, you are in the copy now"), prompt.resume(copy))
      if (argument === "") return yield* Effect.flatMap(session.fork(), goOn)
      const begun = yield* session.prompts
      const target = isNumber(argument) ? begun[Number(argument) - 1] : undefined
      if (target === undefined) return yield* prompt.say(unknownNumber(argument, begun), "error")
      yield* Effect.flatMap(session.fork(target.seq - 1), goOn)
    })
})

export const title = command({
  name: "title",
  aliases: ["rename"],
  group: "session",
  summary: "show the title of this session, or give it another",
  arguments: "[TEXT]",
  duringTask: true,
  run: (argument, prompt) =>
    Effect.gen(function* () {
      if (argument !== "") return yield* Effect.flatMap(prompt.session, (session) => session.rename(argument))
      const session = prompt.current()
      if (session === undefined) return yield* prompt.say("no title yet · the first prompt gives one, or /title TEXT")
      const { title } = yield* Effect.flatMap(SessionStore, (store) => store.get(session.session))
      yield* prompt.say(visibleLine(title) || "no title yet")
    })
})
