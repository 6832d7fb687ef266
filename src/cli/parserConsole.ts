import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { stripVTControlCharacters } from "node:util"

/** What the parser said on its way. */
export interface Said {
  readonly errors: Array<string>
}

/** Keeps the parser's complaints for a better sentence; what it prints on request goes out without colour. */
export const parserConsole = (said: Said): Console.Console => {
  const words = (parts: ReadonlyArray<unknown>) => stripVTControlCharacters(parts.join(" "))
  const log = (...parts: ReadonlyArray<unknown>) =>
    Effect.sync(() => void process.stdout.write(`${words(parts).trimEnd()}\n`))
  const error = (...parts: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      const text = words(parts).replaceAll(/\s+/g, " ").trim()
      const better = text
        .replace(/^Received unknown argument: '([^-].*)'$/, 'unexpected argument "$1"')
        .replace(/' is not a (?=[aeiou]\w*$)/, "' is not an ")
      if (better !== "") said.errors.push(better)
    })
  const none = () => Effect.void
  return {
    [Console.TypeId]: Console.TypeId,
    assert: none,
    clear: Effect.void,
    count: none,
    countReset: none,
    debug: none,
    dir: none,
    dirxml: none,
    error,
    group: none,
    groupEnd: Effect.void,
    info: log,
    log,
    table: none,
    time: none,
    timeEnd: none,
    timeLog: none,
    trace: none,
    warn: error,
    unsafe: globalThis.console
  }
}
