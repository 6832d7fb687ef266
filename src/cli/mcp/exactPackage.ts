import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Configuration } from "../../config/Configuration.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { ownEnvironment } from "../../host/ToolServices.ts"
import * as Answer from "../../process/Answer.ts"
import { Processes } from "../../process/Processes.ts"
import { typed } from "../../text/ShellWord.ts"
import { place } from "../here.ts"
import { UsageError } from "../Outcome.ts"

/** Where the package stands among the words of `npx`, if no version is said. */
const unversioned = (command: ReadonlyArray<string>): number | undefined => {
  const [program = "", ...rest] = command
  if (!/(?:^|\/)npx$/.test(program)) return undefined
  const at = rest.findIndex((word) => !word.startsWith("-"))
  const name = rest[at] ?? ""
  // A scope begins with @ itself; an exact version begins with a digit.
  return at < 0 || /^.+@\d+\.\d+\.\d+/.test(name) || /^[./~]|:/.test(name) ? undefined : at + 1
}

/** The name of a package without the range or the tag behind it. */
const bare = (name: string): string => name.replace(/(?<=.)@[^@/]*$/, "")

/** The command with the exact version of what `npx` fetches, so that another one cannot take its place. */
export const exactPackage = (command: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const at = unversioned(command)
    if (at === undefined) return command
    const name = command[at] ?? ""
    const { settings } = yield* Configuration
    const { env } = yield* Surroundings
    const { directory, project } = yield* place
    const processes = yield* Processes
    const told = yield* Effect.option(
      processes.run(
        {
          file: "npm",
          args: ["view", "--", name, "version"],
          cwd: "/",
          env: ownEnvironment(settings, env, [directory, project])
        },
        { limits: { time: Duration.seconds(30) } }
      )
    )
    const printed = Option.flatMap(told, (result) => Either.getRight(Answer.of(result)))
    // Of a range it names every version that fits, the newest last.
    const version = Option.match(printed, {
      onNone: () => "",
      onSome: ({ stdout }) => (stdout.trim().split(/\s+/).at(-1) ?? "").replaceAll("'", "")
    })
    if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
      const exact = command
        .with(at, `${bare(name)}@VERSION`)
        .map(typed)
        .join(" ")
      return yield* new UsageError({
        reason: `npx would run whatever version of ${name} is newest, and npm does not say which that is now. Give one: ${exact}`
      })
    }
    return command.with(at, `${bare(name)}@${version}`)
  }).pipe(Effect.provide(Layer.orDie(Processes.layer)))
