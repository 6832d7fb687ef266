import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Confine } from "../mcp/Surroundings.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import { confine } from "../tools/Confinement.ts"

/** A server is to run in the sandbox, and there is none. */
export class Unconfined extends Schema.TaggedError<Unconfined>()("Unconfined", { detail: Schema.String }) {
  override get message() {
    return `it is to run in the sandbox, and nothing holds it here. ${this.detail}`
  }
}

/** The directory of a file that a program is, or the packages that it is among. */
const homeOf = (file: string): string => {
  const [, before] = /^(.*?)\/node_modules\//.exec(file) ?? []
  return before === undefined ? path.dirname(file) : path.join(before, "node_modules")
}

/** Where the program of a server lies, which a sandbox with directories of its own would hide. */
const ownPlaces = (words: ReadonlyArray<string>, cwd: string): ReadonlyArray<string> =>
  words.flatMap((word) => {
    const file = path.resolve(cwd, word)
    const found = word.includes("/") ? fs.statSync(file, { throwIfNoEntry: false }) : undefined
    return found?.isFile() === true ? [homeOf(fs.realpathSync(file))] : []
  })

/** Runs servers in the sandbox of a place, with what they may do there besides reading. */
export const confinedServer =
  (sandbox: Effect.Effect<Sandbox["Type"], SandboxUnavailable>, context: () => PathContext): Confine =>
  (command, allowed) =>
    Effect.flatMap(sandbox, ({ describe, wrap }) => {
      if (!describe.isolated) return new Unconfined({ detail: describe.detail })
      const policy = confine(context(), allowed)
      const places = ownPlaces([command.file, ...command.args], command.cwd)
      return Effect.succeed(wrap(command, { ...policy, readable: [...(policy.readable ?? []), ...places] }))
    })
