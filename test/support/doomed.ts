import { Effect, Layer, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import type { Turn } from "../../src/model/Scripted.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Tool from "../../src/tool/Tool.ts"

/** Before or after an event is stored. */
export interface Moment {
  readonly seq: number
  readonly when: "before" | "after"
  /** Of the directory of its session. */
  readonly name: string
}

/** The moments of the first events. */
export const moments = (count: number): ReadonlyArray<Moment> =>
  Array.from({ length: count }, (_, index) => index + 1).flatMap((seq) =>
    (["before", "after"] as const).map((when) => ({ seq, when, name: `${when}-${seq}` }))
  )

const common = { parameters: Schema.Struct({}), success: Schema.String }

/** A tool that only reads and one that changes the world, which keeps a line of what happened to it. */
export const toolsIn = (folder: string) =>
  [
    Tool.make("look", { ...common, description: "Looks", readOnly: true, handler: () => Effect.succeed("seen") }),
    Tool.make("act", {
      ...common,
      description: "Acts",
      approval: "always",
      handler: (_, { callId }) =>
        Effect.sync(() => fs.appendFileSync(path.join(folder, "happened"), `${callId}\n`)).pipe(Effect.as("done"))
    })
  ] as const

export const storeIn = (folder: string) =>
  SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(folder, "doomed.db"))), Layer.orDie)

export const script: ReadonlyArray<Turn> = [
  [{ say: "First" }, { call: { name: "look", id: "look-1" } }, { call: { name: "act", id: "act-1" } }],
  [{ say: "Then" }, { call: { name: "act", id: "act-2" } }],
  "Done",
  "What was done"
]

/** The calls that happened, in order and as often as they did. */
export const happenedIn = (folder: string): ReadonlyArray<string> => {
  const file = path.join(folder, "happened")
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : []
}
