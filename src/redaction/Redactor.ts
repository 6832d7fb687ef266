import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Pace from "../system/Pace.ts"
import * as Deeds from "./Deeds.ts"
import { ExactValues } from "./ExactValues.ts"
import { JsonText } from "./JsonText.ts"
import { redactJsonWith } from "./RedactJson.ts"
import { redactedBytes } from "./redactedBytes.ts"
import { redactedText } from "./redactedText.ts"
import { approvalReader, Scanner } from "./Scanner.ts"
import { type Shown, type ShownJson, shownJsonWith, shownWith } from "./Shown.ts"

/** Redacts one stream of text; not to be shared by two. */
export interface RedactionStream {
  /** What of the text so far can be shown; the rest is held back. */
  readonly push: (chunk: string) => string
  /** The rest; the next `push` begins a new text. */
  readonly flush: () => string
}

export interface RedactorShape extends Deeds.Deeds {
  readonly text: (text: string) => string
  /**
   * The text as somebody sees who approves it: what could run is there, and `masked` counts the places that are not. No mark
   * stands for one of `$ ( ) ; & | < >`, a backtick or a line break.
   */
  readonly shown: (text: string) => Shown
  /** The same for a value whose texts have names. */
  readonly shownJson: (value: unknown) => ShownJson
  /** A copy with secrets replaced by key names and in strings; the argument is not changed. */
  readonly json: (value: unknown) => unknown
  /**
   * A text as a model or a server writes it, which may be JSON: its strings are decoded first, and those within them, so that
   * no escape hides a secret. A text without secrets stays as it is.
   */
  readonly jsonText: (text: string) => string
  /** The same for a text of any length, in slices between which others get their turn and interruption comes in. */
  readonly jsonSliced: (text: string) => Effect.Effect<string>
  /** The same for bytes in base64, which stays valid; those that are no text lose the given secrets alone. */
  readonly bytes: (encoded: string) => string
  /** However a text is cut into chunks, the outcome is that of `text` for the whole. */
  readonly stream: () => RedactionStream
  /** The same for `jsonText`, with strings as `JSON.stringify` spells them. */
  readonly jsonStream: () => RedactionStream
  /** Shows what was held back also where the stream fails. */
  readonly transform: <E, R>(self: Stream.Stream<string, E, R>) => Stream.Stream<string, E, R>
}

export interface RedactorOptions {
  /** Replaced wherever they appear, also encoded; those of fewer than six characters are not. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}

/** Characters that are redacted before others get their turn. */
export const slice = 16 * 1024

export const make = (options: RedactorOptions = {}): RedactorShape => {
  const exact = new ExactValues((options.secrets ?? []).map((_) => Redacted.value(_)))
  const stream = (): RedactionStream => {
    const scanner = new Scanner()
    if (exact.isEmpty) return { push: (chunk) => scanner.push(chunk), flush: () => scanner.flush() }
    let held = ""
    return {
      push: (chunk) => {
        const { out, rest } = exact.replace(held + chunk, false)
        held = rest
        return scanner.push(out)
      },
      flush: () => {
        const { out } = exact.replace(held, true)
        held = ""
        return scanner.push(out) + scanner.flush()
      }
    }
  }
  const text = redactedText(exact)
  const jsonStream = (): RedactionStream => new JsonText(stream)
  const jsonText = (whole: string): string => {
    if (!/^\s*[[{]/.test(whole)) return text(whole)
    const seen = { changed: false }
    const one = new JsonText(stream, seen)
    const shown = one.push(whole) + one.flush()
    return seen.changed ? shown : whole
  }
  const jsonSliced = (whole: string): Effect.Effect<string> =>
    Effect.suspend(() => {
      const seen = { changed: false }
      const one = /^\s*[[{]/.test(whole) ? new JsonText(stream, seen) : stream()
      const pace = Pace.make()
      const shown: Array<string> = []
      let at = 0
      const step = Effect.suspend(() => {
        shown.push(one.push(whole.slice(at, at + slice)))
        at += slice
        return pace
      })
      const rest = Effect.sync(() => {
        shown.push(one.flush())
        return one instanceof JsonText && !seen.changed ? whole : shown.join("")
      })
      return Effect.zipRight(
        Effect.whileLoop({ while: () => at < whole.length, body: () => step, step: () => {} }),
        rest
      )
    })
  const transform = <E, R>(self: Stream.Stream<string, E, R>): Stream.Stream<string, E, R> =>
    Stream.suspend(() => {
      const one = stream()
      const rest = Stream.suspend(() => Stream.make(one.flush()))
      return self.pipe(
        Stream.map(one.push),
        Stream.catchAllCause((cause) => Stream.concat(rest, Stream.failCause(cause))),
        Stream.concat(rest),
        Stream.filter((_) => _ !== "")
      )
    })
  const shown = (whole: string): Shown =>
    text(whole) === whole ? { text: whole, masked: 0 } : shownWith(whole, exact, approvalReader())
  return {
    ...Deeds.make(exact, jsonText),
    text,
    shown,
    shownJson: (value) => shownJsonWith(shown, value),
    json: (value) => redactJsonWith(jsonText, value),
    jsonText,
    jsonSliced,
    bytes: redactedBytes(exact, jsonText),
    stream,
    jsonStream,
    transform
  }
}

/** Removes secrets from anything shown, logged or stored; recognizes given values, and others by their form. */
export class Redactor extends Context.Reference<Redactor>()("tollgate/redaction/Redactor", {
  defaultValue: (): RedactorShape => make()
}) {
  static readonly layer = (options: RedactorOptions) => Layer.succeed(Redactor, make(options))
}

const byLooks = make()

export const redactText = byLooks.text
