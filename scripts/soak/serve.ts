// @effect-diagnostics processEnv:off globalConsole:off globalConsoleInEffect:off - `node scripts/run.mjs scripts/soak/serve.ts requests|reconnects|stalled|deltas [COUNT]`
// Asks a server whatever its document allows and does not, breaks its streams a thousand times, and lets readers stall.
import { Chunk, Duration, Effect, FastCheck as fc, Fiber, Schedule, Stream } from "effect"
import { spawn } from "node:child_process"
import { performance } from "node:perf_hooks"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import { models } from "../../test/host/Directed.ts"
import { served } from "../../test/server/served.ts"
import { apiRound } from "../../test/support/apiRounds.ts"

const [kind = "requests", count = "10000"] = process.argv.slice(2)
const times = Number(count)
if (process.env["FAST_CHECK_SEED"] !== undefined) fc.configureGlobal({ seed: Number(process.env["FAST_CHECK_SEED"]) })
const limits = { requestsPerSecond: 1_000_000, failuresPerMinute: 1_000_000 }

const requests = Effect.gen(function* () {
  const server = yield* served({ models, limits })
  let faults: ReadonlyArray<string> = []
  for (let left = times; left > 0; left -= 500) {
    const found = yield* apiRound(server, Math.min(500, left), left)
    faults = [...faults, ...found.faults]
  }
  console.log(`${times} requests, ${faults.length} faults`)
  for (const fault of faults.slice(0, 20)) console.log(fault)
})

const text = "x".repeat(200)
const history = (messages: number) =>
  Array.from({ length: messages }, (_, index) => ({ role: "user", content: `${index} ${text}` }))

const imported = (server: Effect.Effect.Success<ReturnType<typeof served>>, messages: number) =>
  Effect.map(
    server.ask("/v1/sessions/import", { body: { text: JSON.stringify(history(messages)) } }),
    ({ json }) => json.session as string
  )

const reconnects = Effect.gen(function* () {
  const server = yield* served({ models, limits })
  const session = yield* imported(server, 4000)
  const { head } = (yield* server.ask(`/v1/sessions/${session}`)).json
  let last = 0
  let at = 0
  const cuts = fc.sample(fc.integer({ min: 1, max: 12 }), times)
  for (const cut of cuts) {
    if (last === head) last = 0
    const frames = server.frames(`/v1/sessions/${session}/events`, { headers: { "last-event-id": String(last) } })
    const wanted = Math.min(cut, head - last)
    const some = yield* Stream.runCollect(
      Stream.take(
        Stream.filter(frames, ({ event }) => event === "message"),
        wanted
      )
    )
    for (const { id } of some) {
      if (Number(id) !== last + 1) throw new Error(`after ${last} came ${id}`)
      last += 1
      at += 1
    }
  }
  console.log(`${times} reconnects, ${at} events, no gap and none twice`)
})

/** Mebibytes of the process, less what is garbage. */
const memory = () => {
  globalThis.gc?.()
  const { external, heapUsed, rss } = process.memoryUsage()
  return { live: (heapUsed + external) / 1024 / 1024, rss: rss / 1024 / 1024 }
}

/** Waits until the process has nothing to do. */
const idle = Effect.gen(function* () {
  let before = process.cpuUsage()
  const busy = Effect.map(Effect.sleep("500 millis"), () => {
    const { system, user } = process.cpuUsage(before)
    before = process.cpuUsage()
    return (system + user) / 1000
  })
  yield* Effect.repeat(busy, { until: (millis) => millis < 50 })
})

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const stalled = Effect.gen(function* () {
  const server = yield* served({ models, limits: { ...limits, streams: 2 * times, stall: Duration.minutes(5) } })
  const session = yield* imported(server, 20_000)
  // In a process of their own, whose memory does not count.
  const connect = (readers: number) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const head = `GET /v1/sessions/${session}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n\r\n`
        const program = `setInterval(() => {}, 60_000); for (let left = ${readers}; left > 0; left--) require("node:net").connect(${server.port}, "127.0.0.1").on("error", () => {}).pause().write(${JSON.stringify(head)})`
        return spawn(process.execPath, ["-e", program], { stdio: "inherit" })
      }),
      (child) => Effect.sync(() => void child.kill())
    )
  const request = Effect.gen(function* () {
    const start = performance.now()
    yield* server.ask(`/v1/sessions/${session}`)
    return performance.now() - start
  })
  const requests = Effect.replicateEffect(request, 30)
  yield* Effect.scoped(Effect.zipRight(connect(1), idle))
  const alone = median(yield* requests)
  yield* idle
  const before = memory()
  yield* connect(times)
  const during = yield* requests
  yield* idle
  const after = memory()
  const open = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
  const beside = median(yield* requests)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  console.log(
    `${times} stalled readers, ${open} of them open: ${(after.rss - before.rss).toFixed(1)} MiB of the process, ${(after.live - before.live).toFixed(1)} MiB of it live; ` +
      `a request ${ms(alone)} alone, ${ms(median(during))} and ${ms(Math.max(...during))} at most while they come, ${ms(beside)} beside them`
  )
})

/** How many deltas a model says in each hundredth of a second. */
const rate = 100

const deltas = Effect.gen(function* () {
  const chunk = Chunk.makeBy(rate, (): ModelPart => ({ _tag: "TextDelta", text: "word " }))
  const said = Stream.repeatEffectWithSchedule(Effect.succeed(chunk), Schedule.fixed("10 millis")).pipe(
    Stream.take(times / rate),
    Stream.flattenChunks
  )
  const ended: ModelPart = { _tag: "Finished", usage: noUsage, reason: "stop" }
  const model = { name: "quick", stream: () => Stream.concat(said, Stream.succeed(ended)) }
  const server = yield* served({ models: Models.layerOf({ quick: model }), limits })
  yield* server.ask("/v1/sessions", { body: { id: "s1" } })
  // In a process of their own, which says how many characters each of them was told.
  const program = `
    const readers = Array.from({ length: 20 }, () => new Promise((resolve) => {
      let [text, said] = ["", 0]
      require("node:http").get(${JSON.stringify(`${server.url}/v1/sessions/s1/events`)}, { agent: false, headers: { authorization: "Bearer ${server.token}" } }, (response) =>
        response.setEncoding("utf8").on("data", (data) => {
          const lines = (text + data).split("\\n")
          text = lines.pop()
          for (const line of lines) {
            if (!line.startsWith("data: ")) continue
            const { event } = JSON.parse(line.slice(6))
            if (event?._tag === "TextDelta") said = Math.max(said, event.offset + event.text.length)
            if (event?._tag === "TaskCompleted") resolve(said)
          }
        }))
    }))
    Promise.all(readers).then((all) => { console.log(all.join(" ")); process.exit() })`
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => void child.kill())
  )
  const told = yield* Effect.fork(
    Effect.async<string>((resume) => {
      let text = ""
      child.stdout.on("data", (data: Buffer) => (text += String(data))).on("end", () => resume(Effect.succeed(text)))
    })
  )
  yield* Effect.sleep("2 seconds")
  const before = process.cpuUsage()
  const start = performance.now()
  yield* server.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt: "go" } })
  const heard = (yield* Fiber.join(told)).trim().split(" ")
  const { system, user } = process.cpuUsage(before)
  const wall = performance.now() - start
  console.log(
    `${times} deltas in ${(wall / 1000).toFixed(1)} s to ${heard.length} readers, each told ${[...new Set(heard)].join(", ")} characters: ${((system + user) / 1000 / wall).toFixed(2)} of a core`
  )
})

const kinds: Readonly<Record<string, typeof requests>> = { requests, reconnects, stalled, deltas }
void Effect.runPromise(Effect.scoped(kinds[kind] ?? requests)).then(() => process.exit(0))
