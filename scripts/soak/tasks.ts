// @effect-diagnostics globalConsole:off processEnv:off runEffectInsideEffect:off - a program to run by hand
// Whether tasks stay as fast as the first ones, and memory where it is, in one session of one process that lives long:
// `node scripts/run.mjs scripts/soak/tasks.ts [MINUTES]`. It ends with 1 where they do not.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Database } from "../../src/database/Database.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import { CreateSession, SubmitPrompt } from "../../src/runtime/Command.ts"
import { isTerminal } from "../../src/runtime/Event.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Tool from "../../src/tool/Tool.ts"

const session = "session_1"
/** Calls of one task, each in an answer of its own. */
const steps = 20
/** Tasks of which a median is taken, and by how much the last may be slower, and memory more than after the first minute. */
const window = 100
const tolerance = 1.1
const memoryTolerance = 1.1

/** Milliseconds of the processor: others may use the machine as well. */
const spent = (from: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(from)
  return (system + user) / 1000
}

/** Asks for one call after the other, then says that it is done. */
const model: ModelService = {
  name: "m",
  stream: ({ messages }) => {
    const since = messages.length - messages.findLastIndex(({ message }) => message.role === "user")
    const made = Math.floor(since / 2)
    const call = { id: `c${made}`, name: made % 2 === 0 ? "look" : "act", arguments: `{"n":${made}}` }
    const parts: ReadonlyArray<ModelPart> =
      made < steps ? [{ _tag: "FunctionCalled", ...call }] : [{ _tag: "TextDelta", text: "It is done." }]
    return Stream.fromIterable([...parts, { _tag: "Finished", reason: "stop", usage: noUsage }])
  }
}

const common = { parameters: Schema.Struct({ n: Schema.Number }), success: Schema.String, description: "d" }
const tools = [
  Tool.make("look", { ...common, readOnly: true, handler: () => Effect.succeed("x".repeat(500)) }),
  Tool.make("act", { ...common, handler: () => Effect.succeed("done") })
] as const

/** Work that stays the same, beside which the machine's own moods can be told from the program's. */
const reference = (): number => {
  const from = process.cpuUsage()
  let text = "x"
  for (let round = 0; round < 40; round++) {
    text = crypto.createHash("sha256").update(text.repeat(200)).digest("hex")
    for (let index = 0; index < 200; index++) text += JSON.stringify({ index, text: text.slice(0, 20) }).slice(0, 1)
  }
  return spent(from)
}

const median = (millis: ReadonlyArray<number>): number =>
  millis.toSorted((a, b) => a - b)[Math.floor(millis.length / 2)] ?? 0

const megabytes = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const program = (minutes: number) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const opened = yield* runtime.events
    yield* runtime.send(new CreateSession({ session, project: os.tmpdir() }))
    yield* Stream.runHead(Stream.filter(opened, (envelope) => envelope.session === session))
    const took: Array<number> = []
    const beside: Array<number> = []
    const from = performance.now()
    let from1: number | undefined
    let seq = 1
    while (performance.now() - from < minutes * 60_000 || took.length < 3 * window) {
      const task = `task_${took.length}`
      const start = process.cpuUsage()
      yield* runtime.send(new SubmitPrompt({ session, task, prompt: "Do it." }))
      yield* runtime.subscribe(session, { from: seq, transient: false }).pipe(
        Stream.takeUntil((envelope) => envelope.task === task && isTerminal(envelope.event)),
        Stream.runForEach((envelope) =>
          Effect.sync(() => {
            seq = envelope.seq + 1
          })
        )
      )
      took.push(spent(start))
      beside.push(reference())
      if (from1 === undefined && performance.now() - from > Math.min(60_000, minutes * 30_000)) from1 = megabytes()
    }
    // The first ones of all also pay for what is compiled.
    const part = (all: ReadonlyArray<number>) =>
      [median(all.slice(window, 2 * window)), median(all.slice(-window))] as const
    const [first, last] = part(took)
    const [calm, later] = part(beside)
    const ratio = last / first / (later / calm)
    const [level, end] = [from1 ?? 0, megabytes()]
    const flat = ratio <= tolerance && end <= level * memoryTolerance
    console.log(
      JSON.stringify({ tasks: took.length, events: seq - 1, first, last, reference: later / calm, ratio, level, end })
    )
    process.exitCode = flat ? 0 : 1
  })

const home = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-tasks-"))
const database = Database.layer(path.join(home, "tollgate.db"))
const store = SqlSessionStore.layer.pipe(Layer.provide(database), Layer.orDie)
/** As in the product: an audit in memory would keep every decision there. */
const approvals = Approvals.layerAudited({ policy: "allow" }).pipe(
  Layer.provide([Audit.layerSql(path.join(home, "approvals")), RuleStore.layerMemory]),
  Layer.provide(database),
  Layer.orDie
)
const runtime = Runtime.layer.pipe(
  Layer.provide(
    Layer.mergeAll(
      Tools.layerEffect(Toolset.make(tools, { middleware: DefaultStack.make({}) })),
      Models.layerOf({ p: model }),
      ClientTools.layer()
    )
  ),
  Layer.provide(approvals),
  Layer.provide(store)
)
void Effect.runPromise(
  program(Number(process.argv[2] ?? 15)).pipe(
    Effect.provide(runtime),
    Effect.scoped,
    Effect.orDie,
    Effect.ensuring(Effect.sync(() => fs.rmSync(home, { recursive: true, force: true })))
  )
)
