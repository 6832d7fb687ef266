import * as Effect from "effect/Effect"
import * as ConfigFile from "../config/ConfigFile.ts"
import { home } from "../config/Home.ts"
import { keys } from "../config/Settings.ts"
import { similar } from "./Guard.ts"
import { others, prefix } from "./variables.ts"
import { warn } from "./warn.ts"

const known = [...others, ...keys.map(({ variable }) => variable)].map((name) => name.slice(prefix.length))

/** Says which variables of that beginning are none of ours, except those that the configuration names, which may hold a key. */
export const warnOf = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const unknown = names.filter((name) => !known.includes(name.slice(prefix.length)))
    if (unknown.length === 0) return
    const text = JSON.stringify(yield* ConfigFile.read((yield* home).config))
    yield* Effect.forEach(
      unknown.filter((name) => !text.includes(name)),
      (name) => {
        const near = similar(name.slice(prefix.length), known)
        const hint =
          near === undefined ? "no setting has this name; tollgate config lists them" : `did you mean ${prefix}${near}?`
        return warn(`the environment variable ${name.slice(0, 80)} has no effect: ${hint}`)
      },
      { discard: true }
    )
    // The command itself says what is wrong with a configuration or a home.
  }).pipe(Effect.ignore)
