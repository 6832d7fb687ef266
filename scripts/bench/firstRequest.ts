// @effect-diagnostics processEnv:off - measures whole processes from outside
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { type Start, start, work } from "./start.ts"

const frame = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "r", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const hello = `${frame({ content: "Hello." }, null)}${frame({}, "stop")}data: [DONE]\n\n`

/** Milliseconds from the start of `tollgate run` until its first request reaches the model's server; the median. */
export const firstRequest = (rounds = 9): Effect.Effect<Start> =>
  Effect.gen(function* () {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
    let arrived = 0
    const server = http.createServer((request, response) => {
      arrived = performance.now()
      request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(hello))
    })
    yield* Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    const { port } = server.address() as AddressInfo
    const profiles = { bench: { provider: "chat-completions", baseUrl: `http://127.0.0.1:${port}/v1`, model: "m" } }
    fs.writeFileSync(path.join(folder, "config.json"), JSON.stringify({ profile: "bench", profiles }))
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: folder }
    const once = Effect.async<number>((resume) => {
      const begun = performance.now()
      const args = [path.resolve("dist/tollgate.cjs"), "run", "--approve", "deny", "hello"]
      spawn(process.execPath, args, { env, cwd: work(folder), stdio: "ignore" }).on("exit", () =>
        resume(Effect.succeed(arrived - begun))
      )
    })
    yield* once
    const times = yield* Effect.replicateEffect(once, rounds)
    const { node } = yield* start(["--version"], rounds)
    yield* Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
    for (const place of [folder, work(folder)]) fs.rmSync(place, { recursive: true })
    return { millis: times.toSorted((a, b) => a - b)[rounds >> 1] ?? 0, node }
  })
