import * as Option from "effect/Option"
import type { Flags } from "../config/Configuration.ts"

/** What the options of a command say of the configuration. */
export const flagsOf = ({
  profile,
  screenReader = false
}: {
  readonly profile: Option.Option<string>
  readonly screenReader?: boolean
}): Flags => ({
  ...(Option.isNone(profile) ? {} : { profile: { flag: "--profile", value: profile.value } }),
  ...(screenReader ? { screenReader: { flag: "--screen-reader", value: true } } : {})
})
