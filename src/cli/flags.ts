import * as Option from "effect/Option"
import type { Flags } from "../config/Configuration.ts"

/** What the options of a command say of the configuration. */
export const flagsOf = (options: { readonly profile: Option.Option<string> }): Flags =>
  Option.match(options.profile, {
    onNone: () => ({}),
    onSome: (value) => ({ profile: { flag: "--profile", value } })
  })
