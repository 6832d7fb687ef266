import { Console, Effect, Layer, Stream } from "effect"
import { Approvals, Command, MemorySessionStore, Models, Runtime, Scripted, Tools } from "tollgate"
import { toolset } from "./tool.ts"

const program = Effect.gen(function* () {
  const runtime = yield* Runtime
  const events = yield* runtime.events // all from here on, whenever it is run
  yield* runtime.request(new Command.CreateSession({ session: "s1", project: process.cwd() }))
  yield* runtime.request(new Command.SubmitPrompt({ session: "s1", task: "t1", prompt: "How warm is it in Oslo?" }))
  yield* events.pipe(
    Stream.takeUntil(({ event }) => event._tag === "TaskCompleted" || event._tag === "TaskFailed"),
    Stream.runForEach(({ event, seq }) => Console.log(seq, event._tag))
  )
})

const models = Scripted.make([[{ call: { name: "weather", arguments: { city: "Oslo" } } }], "Four degrees."])

const live = Runtime.layer.pipe(
  Layer.provide(Tools.layerEffect(toolset)),
  Layer.provide(Approvals.layer({ policy: "fail" })), // under Tools, whose calls it decides on
  Layer.provide(Layer.unwrapEffect(Effect.map(models, (scripted) => Models.layerOf({ scripted })))),
  Layer.provide(MemorySessionStore.layer)
)

await Effect.runPromise(Effect.provide(program, live))
