// @effect-diagnostics globalConsole:off - `npm run bench [-- --json FILE] [-- NAME…]` prints a table; `-- peers` other frameworks; `-- search [--messages N]` the search
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { type Figure, figure, table } from "./Figure.ts"
import * as Approval from "./approval.ts"
import { classified, parsedAlone } from "./classify.ts"
import { completing, gitsList, repositoryOf } from "./files.ts"
import { firstPrompt } from "./firstPrompt.ts"
import { firstRequest } from "./firstRequest.ts"
import * as Gate from "./gate.ts"
import { overhead } from "./gateway.ts"
import { idleSession } from "./idle.ts"
import { logThroughput, pubSubThroughput } from "./log.ts"
import { pasted, read } from "./paste.ts"
import { typing } from "./typing.ts"
import { besidePeers } from "./peers.ts"
import { redactPlain, redactSecrets, searched } from "./redaction.ts"
import { searching } from "./search.ts"
import { firstPaint, listening } from "./serve.ts"
import { importing, start } from "./start.ts"
import { agentStep, bareStep } from "./step.ts"
import { leafWorkers, plainTurns } from "./workers.ts"

type Row = readonly [name: string, measure: Effect.Effect<Figure | ReadonlyArray<Figure>>]

/** The best of several runs: what the code costs, less what else the machine does. */
const least = (measure: Effect.Effect<number>, runs: number): Effect.Effect<number> =>
  Effect.map(Effect.replicateEffect(measure, runs), (values) => Math.min(...values))
const most = (measure: Effect.Effect<number>, runs: number): Effect.Effect<number> =>
  Effect.map(Effect.replicateEffect(measure, runs), (values) => Math.max(...values))

const stepRow = (steps: number): Row => [
  `agent-step-${steps}`,
  Effect.gen(function* () {
    yield* Effect.replicateEffect(agentStep(800), 3)
    const value = yield* least(agentStep(steps), 5)
    const bare = yield* least(bareStep(steps), 5)
    return figure(
      `agent-step-${steps}`,
      value,
      "µs",
      bare,
      "the same model and handler, nothing stored",
      "≤ 250 µs, flat"
    )
  })
]

const idleRow: Row = [
  "idle-session",
  Effect.map(idleSession(1000), ({ open, released }) =>
    figure("idle-session", released, "KiB", open, "the same while it is open", "≤ 20 KiB")
  )
]

const workersRow: Row = [
  "workers-1000",
  Effect.gen(function* () {
    yield* leafWorkers(1000)
    const runs = yield* Effect.replicateEffect(leafWorkers(1000), 3)
    const { cpuMillis, mebibytes, millis } = runs.reduce((best, run) => (run.millis < best.millis ? run : best))
    const plain = yield* least(plainTurns(1000), 3)
    const against = `1,000 plain answers, 16 at once; ${(cpuMillis / 1000).toFixed(1)} ms of CPU a worker, heap +${Math.round(mebibytes)} MiB`
    return figure("workers-1000", millis, "ms", plain, against, "≤ 1.3×")
  })
]

const gateRow = (name: string, measure: () => Promise<number>, goal: string): Row => [
  name,
  Effect.gen(function* () {
    const value = yield* Effect.promise(measure)
    const bare = yield* Effect.promise(Gate.bareHandler)
    return figure(name, value, "µs", bare, "the bare handler", goal)
  })
]

const logRow = (name: string, events: number, subscribers: number, stalled: number): Row => [
  name,
  Effect.gen(function* () {
    const value = yield* most(logThroughput(events, subscribers, stalled), 3)
    const reference =
      stalled === 0
        ? yield* most(pubSubThroughput(events, subscribers), 3)
        : yield* most(logThroughput(events, subscribers, 0), 3)
    const against = stalled === 0 ? "PubSub.unbounded, nothing stored" : "the same without the stalled one"
    return figure(name, value, "events/s", reference, against, stalled === 0 ? "as fast as it goes" : "no slowdown")
  })
]

type Measure = () => Promise<number> | number

const microsRow = (name: string, measure: Measure, reference: Measure, against: string, goal: string): Row => [
  name,
  Effect.gen(function* () {
    const value = yield* Effect.promise(() => Promise.resolve().then(measure))
    return figure(name, value, "µs", yield* Effect.promise(() => Promise.resolve().then(reference)), against, goal)
  })
]

const rateRow = (name: string, measure: () => number, goal: string): Row => [
  name,
  Effect.sync(() => figure(name, measure(), "MB/s", searched(), "one search for two words", goal))
]

/** What Claude Code asks a hook before it runs a command. */
const hooked = (cwd: string): string =>
  JSON.stringify({
    session_id: "bench",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "npm test 2>&1 | tail -20" }
  })

const startRow = (
  name: string,
  args: ReadonlyArray<string>,
  goal: string,
  input?: (cwd: string) => string,
  below?: string
): Row => [
  name,
  Effect.map(start(args, undefined, input, below), ({ millis, node }) =>
    figure(name, millis, "ms", node, "node -e 0", goal)
  )
]

const rows: ReadonlyArray<Row> = [
  stepRow(50),
  stepRow(200),
  stepRow(800),
  workersRow,
  idleRow,
  gateRow("gate-bare", Gate.gateNothing, "≤ 1.5 × bare"),
  gateRow("gate-default", Gate.gateDefault, "≤ 20 µs"),
  gateRow("gate-configured", Gate.gateConfigured, "≤ 20 µs"),
  gateRow("gate-traced", Gate.gateTraced, "≤ 20 µs"),
  [
    "gate-toolkit",
    Effect.gen(function* () {
      const value = yield* Effect.promise(Gate.gateConfigured)
      const toolkit = yield* Effect.promise(Gate.toolkitHandle)
      return figure("gate-toolkit", value, "µs", toolkit, "the same tool by Toolkit.handle of @effect/ai", "≤ 3 ×")
    })
  ],
  microsRow("approval-cached", Approval.cachedApproval, Approval.unaskedCall, "the same call unasked", "≤ 20 µs"),
  microsRow("approval-request", Approval.injectedRequest, Approval.unaskedCall, "the same call unasked", "≤ 1,000 µs"),
  microsRow(
    "approval-lookup",
    () => Approval.lookup(1000, 10_000),
    () => Approval.lookup(1, 1),
    "among one rule and one grant",
    "≤ 50 µs"
  ),
  microsRow("approval-hostile", Approval.hostile, Approval.ordinary, "an ordinary pattern and command", "≤ 1,000 µs"),
  microsRow("classify-p99", classified, parsedAlone, "the parser alone", "≤ 1,000 µs"),
  rateRow("redact-plain", redactPlain, "≥ 50 MB/s"),
  rateRow("redact-secrets", redactSecrets, "as fast as it goes"),
  [
    "paste-10000",
    Effect.sync(() =>
      figure("paste-10000", pasted(), "ms", read(), "its bytes read as text", "≤ 100 ms of the processor")
    )
  ],
  [
    "typing-echo",
    Effect.zipWith(typing(10_000), typing(0), (busy, idle) =>
      figure("typing-echo", busy.echo, "ms", idle.echo, "the same while nothing streams", "≤ 16 ms")
    )
  ],
  [
    "typing-cores",
    Effect.zipWith(typing(10_000), typing(0), (busy, idle) =>
      figure("typing-cores", busy.cores, "of a core", idle.cores, "the same while nothing streams", "≤ 0.5")
    )
  ],
  [
    "@-files",
    Effect.scoped(
      Effect.gen(function* () {
        const repository = yield* repositoryOf(10_000)
        yield* completing(repository)
        const value = yield* least(completing(repository), 10)
        const reference = yield* least(gitsList(repository), 10)
        return figure("@-files", value, "ms", reference, "git ls-files -co of 10,000 files", "≤ 50 ms")
      })
    )
  ],
  logRow("log-1", 50_000, 1, 0),
  logRow("log-10", 20_000, 10, 0),
  logRow("log-100-stalled", 5_000, 100, 1),
  startRow("start-version", ["--version"], "≤ 1.5 × node"),
  startRow("start-help", ["--help"], "≤ 1.5 × node"),
  startRow("start-hook", ["hook", "claude"], "≤ 2 × node", hooked),
  // Where the name of its socket is too long there is no daemon.
  startRow("start-hook-alone", ["hook", "claude"], "the first ones, before there is a daemon", hooked, "c".repeat(100)),
  [
    "start-prompt",
    Effect.map(firstPrompt(), ({ prompt: { millis, node } }) =>
      figure("start-prompt", millis, "ms", node, "node -e 0", "prompt ≤ 3 × node")
    )
  ],
  [
    "start-echo",
    Effect.map(firstPrompt(), ({ echo: { millis, node } }) =>
      figure("start-echo", millis, "ms", node, "node -e 0", "the program has loaded")
    )
  ],
  [
    "start-run",
    Effect.map(firstRequest(), ({ millis, node }) =>
      figure("start-run", millis, "ms", node, "node -e 0", "first model request ≤ 5 × node")
    )
  ],
  [
    "start-import",
    Effect.map(importing(), ({ effect, library }) =>
      figure("start-import", library, "ms", effect, "importing effect alone", "≤ 500 ms")
    )
  ],
  [
    "start-serve",
    Effect.map(listening(), ({ answers, listens, node }) => [
      figure("start-serve", listens, "ms", node, "node -e 0", "listens ≤ 5 × node"),
      figure("serve-answer", answers, "ms", node, "node -e 0", "the page is answered")
    ])
  ],
  [
    "gateway-call",
    Effect.map(overhead(), ({ direct, gateway }) =>
      figure("gateway-call", gateway, "ms", direct, "the same call without the gateway", "≤ 2 ms more")
    )
  ],
  [
    "gateway-list",
    Effect.map(overhead(0), ({ directList, directStart, list, start }) => [
      figure("gateway-list", list, "ms", directList, "the server itself, once it answers", "≤ 50 ms after initialize"),
      figure("gateway-start", start, "ms", directStart, "the server itself, started for it", "starts no server")
    ])
  ],
  [
    "browser-paint",
    Effect.map(firstPaint(), ({ empty, page }) =>
      figure("browser-paint", page, "ms", empty, "a page of one word", "first paint ≤ 150 ms")
    )
  ]
]

const args = process.argv.slice(2)
const json = args.includes("--json") ? args[args.indexOf("--json") + 1] : undefined
const messages = args.includes("--messages") ? args[args.indexOf("--messages") + 1] : undefined
const wanted = args.filter((arg) => !["--json", "--messages", json, messages].includes(arg))
const chosen = rows.filter(([name]) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)))

/** Only by name, for other packages are installed for it. */
const peers = wanted.includes("peers")
  ? besidePeers((steps) => Effect.zipRight(agentStep(800), least(agentStep(steps), 5)))
  : Effect.succeed([])

/** Only by name as well, for it takes minutes. */
const found = wanted.includes("search") ? searching(Number(messages ?? 100_000)) : Effect.succeed([])

void Effect.runPromise(
  Effect.map(Effect.all([Effect.forEach(chosen, ([, measure]) => measure), peers, found]), (figures) => figures.flat(2))
).then((figures) => {
  console.log(table(figures))
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`)
})
