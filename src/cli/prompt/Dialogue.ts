import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import * as CommandFiles from "../../config/CommandFiles.ts"
import { Configuration } from "../../config/Configuration.ts"
import { followIterations } from "../../runtime/followIterations.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { defaults } from "../../runtime/RuntimeOptions.ts"
import * as Iterations from "../../tool/iterations.ts"
import { ProgressBoard } from "../../tool/ProgressBoard.ts"
import { Ui } from "../../ui/Ui.ts"
import { edited } from "../terminal/editor/externalEditor.ts"
import * as Distrust from "../distrust.ts"
import * as Misnamed from "../misnamed.ts"
import * as UnreadInstructions from "../unreadInstructions.ts"
import { projectOf } from "../openSession.ts"
import type { Chosen } from "../checkProfile.ts"
import { agent } from "../Run.ts"
import { refuseUnconfined } from "../refuseUnconfined.ts"
import * as SandboxNote from "../sandboxNote.ts"
import type { Prompt } from "./commands/Command.ts"
import * as Commands from "./commands/Commands.ts"
import { fromFiles } from "./commands/fromFiles.ts"
import { remember } from "./commands/memory.ts"
import * as History from "./History.ts"
import { type Listener, open } from "./Session.ts"
import { search, suggest } from "./suggest.ts"

/** What stands behind an interactive prompt; a separate module, which loads while the user types. */
export const make = (options: Chosen, policy: ApprovalPolicy) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(agent(policy, true))
    const { project } = yield* Effect.provide(projectOf(options), context)
    yield* Effect.zipRight(Distrust.warn(project.config), Misnamed.warn(project.config))
    yield* UnreadInstructions.warn(project.instructions)
    if (policy === "sandboxed") yield* refuseUnconfined(project)
    const tried = yield* Effect.forkScoped(SandboxNote.tried(project))

    const iterations = Iterations.make(Context.get(context, ProgressBoard))
    const { home, settings } = yield* Configuration
    const events = yield* Context.get(context, Runtime).events
    yield* Effect.forkScoped(followIterations(iterations, settings.maxIterations ?? defaults.maxIterations)(events))

    const files = yield* Effect.cachedWithTTL(project.files, "20 seconds")
    /** The branch that is checked out, and whether anything has changed; nothing where git names none. */
    const branch = Effect.map(project.git, (state) =>
      typeof state === "string" || state.branch === undefined
        ? undefined
        : { name: state.branch, dirty: state.changed > 0 }
    )

    const ui = yield* Ui
    const { file, trusted } = project.config
    const further = fromFiles(
      CommandFiles.read(CommandFiles.below(home.config)),
      trusted && Option.isSome(file) ? file.value.commands : { commands: [], problems: [] }
    )
    yield* Effect.forEach(further.problems, (text) => ui.display({ _tag: "Note", level: "warning", text }), {
      discard: true
    })
    const commands = Commands.make(further.commands)

    return {
      branch,
      sandbox: Fiber.join(tried),
      open: (listener: Listener) => Effect.provide(open(options, listener), context),
      /** Does what a line asks for that begins with a slash. */
      perform: (line: string, prompt: Prompt) => Effect.provide(commands.perform(line, prompt), context),
      /** Keeps a text in the memory of the project. */
      remember: (text: string, prompt: Prompt) => Effect.provide(remember(text, prompt), context),
      history: yield* History.open(project.directory),
      search,
      edited,
      /** How to go on with what is typed. */
      suggest: (prompt: Prompt) => {
        const suggesting = suggest(prompt, commands, files)
        return (typed: string, at: number) => Effect.provide(suggesting(typed, at), context)
      }
    }
  })

export type Dialogue = Effect.Effect.Success<ReturnType<typeof make>>
