import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { setUp } from "../config/ConfigError.ts"
import * as DefaultStack from "../gate/DefaultStack.ts"
import * as Toolset from "../gate/Toolset.ts"
import { layerConfigured } from "../host/Host.ts"
import type { Stack } from "../host/Stack.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { Models } from "../model/Models.ts"
import * as Scripted from "../model/Scripted.ts"
import { Interrupt } from "../runtime/Command.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { ListDir } from "../tools/ListDir.ts"
import { ReadFile } from "../tools/ReadFile.ts"
import { RunShell } from "../tools/RunShell.ts"
import { WriteFile } from "../tools/WriteFile.ts"
import { open, submit } from "../ui/Conversation.ts"
import type { Answer, Approval } from "../ui/Display.ts"
import { present } from "../ui/present.ts"
import { Ui } from "../ui/Ui.ts"
import { makeVisible } from "../text/visible.ts"
import { version } from "../version.ts"
import * as Frontend from "./Frontend.ts"
import { invocation } from "./invocation.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { runTask } from "./runTask.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"
import { FetchLedger, Forecast, WeighSoil } from "./tour/DemoTools.ts"
import { prompt, turns } from "./tour/script.ts"
import { workspace } from "./tour/workspace.ts"
import { shortSession } from "./SessionId.ts"

const tools = [ListDir, ReadFile, WriteFile, RunShell, FetchLedger, Forecast, WeighSoil] as const

const seal = (stack: Stack) => Toolset.make(tools, { middleware: DefaultStack.make(stack) })

/** Milliseconds between two words if a person reads along. */
const pace = 18

/** The script's answers if no one is attached: no to deletions, yes to the rest. */
const scripted = ({ request }: Approval): Answer =>
  JSON.stringify(request.arguments).includes("rm -r")
    ? { decision: "deny", reason: "keep the ledger", frontend: "tour" }
    : { decision: "approve", scope: "once", frontend: "tour" }

/** The frontend, which answers if no one is attached. */
const answering = Effect.gen(function* () {
  const ui = yield* Ui
  const { interactive } = yield* Screen
  if (interactive) return ui
  const approve = (approval: Approval) => {
    const answer = scripted(approval)
    const said = answer.decision === "approve" ? "yes" : `no, ${answer.reason ?? ""}`
    const text = `no terminal to ask in; the script answers: ${said}`
    return Effect.as(ui.display({ _tag: "CallNote", call: approval.call, level: "info", text }), answer)
  }
  return Ui.of({ ...ui, approve })
})

const introduce = Effect.gen(function* () {
  const { interactive, progress, style } = yield* Screen
  const asked = interactive
    ? "You will be asked three times; answer as you like."
    : "No one is attached, so the script answers."
  yield* progress(
    `${style.bold("tollgate")} ${style.dim(`${version} · a tour, offline: a scripted model, real tools, a temporary workspace.`)}\n` +
      `${style.dim(asked)}\n\n`
  )
})

const line = (text: string, about: string, style: Style) =>
  `  ${text}${about === "" ? "" : `\n      ${style.dim(about)}`}\n`

/** Where what the tour did can be seen again; it is gone with a temporary home. */
const again = (session: string, command: string, style: Style) => {
  const id = shortSession(session)
  return [
    `\n${style.bold("Everything is recorded.")} See it again:\n`,
    line(`${command} sessions show ${id}`, "as it looked", style),
    line(`${command} events ${id}`, "every event, numbered", style),
    line(`${command} events ${id} --jsonl > tour.jsonl`, "", style),
    line(`${command} replay tour.jsonl`, "the same from a file", style)
  ]
}

const conclude = (session: string, unkept: string | undefined) =>
  Effect.gen(function* () {
    const { progress, style } = yield* Screen
    const command = invocation()
    yield* progress(
      [
        ...(unkept === undefined
          ? again(session, command, style)
          : [`\nNothing of the tour is kept: ${makeVisible(unkept)} cannot be written to.\n`]),
        `\n${style.bold("Connect a model")} with any one of these, then ${command} run "…":\n`,
        ...setUp.map((text) => line(text.replace(/^tollgate/, command), "", style)),
        "\n",
        line(`${command} doctor`, "shows what is missing", style),
        line(`${command} --help`, "shows the other commands", style)
      ].join("")
    )
  })

/** Shows what happens to calls that are flaky, slow, broken, dangerous and refused. */
export const tour = Effect.gen(function* () {
  const screen = yield* Screen
  const directory = yield* workspace
  const configured = yield* Configuration
  const temporary = yield* ReadOnlyHome.temporary(configured.home)
  const configuration = { ...configured, home: temporary ?? configured.home }
  const { env } = yield* Surroundings
  const model = yield* Scripted.make(turns(screen.live ? pace : 0), { name: "scripted tour", record: false })
  const ui = yield* answering
  yield* introduce
  const agent = layerConfigured({ policy: "ask", attended: true }, seal, Models.layerOf({ tour: model }))
  const session = yield* Effect.gen(function* () {
    const runtime = yield* Runtime
    const opened = yield* open({ _tag: "New" }, directory)
    const interrupt = Effect.ignore(runtime.send(new Interrupt({ session: opened.session })))
    yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => interrupt))
    yield* Effect.ensuring(
      runTask(opened, submit(opened, prompt), (events) =>
        Effect.provideService(present(events, { decide: (decision) => Effect.ignore(runtime.send(decision)) }), Ui, ui)
      ),
      ui.stop
    )
    return opened.session
  }).pipe(
    Effect.scoped,
    Effect.provide(agent),
    // The tour ignores the user's configuration.
    Effect.provideService(Configuration, { ...configuration, settings: {} }),
    Effect.provideService(Surroundings, { directory, env })
  )
  yield* conclude(session, temporary === undefined ? undefined : path.dirname(configured.home.database))
}).pipe(
  Effect.scoped,
  Effect.provide(Frontend.layer({ split: false, keys: true })),
  Effect.provide(Configuration.layer())
)
