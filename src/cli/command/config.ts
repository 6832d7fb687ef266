import * as Command from "@effect/cli/Command"
import * as Option from "effect/Option"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const module = () => import("../Configure.ts")
const key = argument("key", "a key that tollgate config lists, e.g. approvals.policy, or profiles.NAME")

const get = Command.make("get", { key, json: options.json }, ({ json, key }) =>
  load(module, ({ get }) => get(key, json))
).pipe(Command.withDescription("Print one value"))
const set = Command.make(
  "set",
  { key, value: argument("value", "text, or JSON"), json: options.json },
  ({ json, key, value }) => load(module, ({ set }) => set(key, Option.some(value), json))
).pipe(Command.withDescription("Set a value in the configuration file"))
const unset = Command.make("unset", { key, json: options.json }, ({ json, key }) =>
  load(module, ({ set }) => set(key, Option.none(), json))
).pipe(Command.withDescription("Remove a value from the configuration file"))

/** `tollgate config` */
export const config = group(
  Command.make("config", { json: options.json }, ({ json }) => load(module, ({ showAll }) => showAll(json))).pipe(
    Command.withDescription("Show every value and its source")
  ),
  [get, set, unset]
)
