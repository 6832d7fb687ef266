import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** Entries that are listed unless more are asked for. */
const many = 20

const limit = options.limit(many, 100)
const id = argument("id", "the number of the memory").pipe(
  Args.mapEffect((word) =>
    /^\d{1,15}$/.test(word)
      ? Effect.succeed(Number(word))
      : Effect.fail(
          HelpDoc.p(
            `a memory is named by its number, not ${JSON.stringify(word.slice(0, 80))}; tollgate memory list shows them`
          )
        )
  )
)

const memoryModule = () => import("../MemoryCommand.ts")

const list = Command.make("list", { limit, ...options.listing }, (given) =>
  load(memoryModule, (module) => module.list(given))
).pipe(Command.withDescription("List what this project remembers, latest first"))

const search = Command.make(
  "search",
  { query: argument("words", "words, or beginnings of words, any of which match"), limit, ...options.listing },
  (given) => load(memoryModule, (module) => module.search(given))
).pipe(Command.withDescription("Search what this project remembers, best first"))

const show = Command.make("show", { id, json: options.json }, (given) =>
  load(memoryModule, (module) => module.show(given))
).pipe(Command.withDescription("Show one memory and where it is from"))

const forget = Command.make("forget", { id, json: options.json }, (given) =>
  load(memoryModule, (module) => module.forget(given))
).pipe(Command.withDescription("Forget one memory"))

const exported = Command.make("export", options.listing, (given) =>
  load(memoryModule, (module) => module.exported(given))
).pipe(Command.withDescription("Print all that this project remembers, as JSON Lines"))

/** `tollgate memory` */
export const memory = group(
  Command.make("memory", {}, () =>
    load(memoryModule, (module) => module.list({ limit: many, json: false, jsonl: false }))
  ).pipe(Command.withDescription("List, search and forget what this project remembers")),
  [list, search, show, forget, exported]
)
