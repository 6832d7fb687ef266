// @effect-diagnostics processEnv:off - tests hand their own environment to children
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Memory } from "../../src/memory/Memory.ts"
import type { RetryPolicy } from "../../src/middleware/retry.ts"
import { environment } from "../../src/process/Environment.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as Builtin from "../../src/tools/Builtin.ts"

/** A call by a model. */
export const calledBy = (name: string, rawParams: unknown) => ({
  name,
  rawParams,
  callId: "c",
  sessionId: "s",
  workerPath: ["root"],
  startedAt: 0,
  sink: silent,
  by: "model" as const
})

/** A workspace of real files in a temporary directory, with a home beside it. */
export class World {
  readonly base: string
  readonly root: string
  readonly home: string
  readonly environment: Readonly<Record<string, string>>

  constructor(parent: string) {
    this.base = fs.realpathSync(fs.mkdtempSync(path.join(parent, "tollgate-tools-")))
    this.root = `${this.base}/w`
    this.home = `${this.base}/home`
    this.environment = { ...environment(process.env), HOME: this.home }
    fs.mkdirSync(this.root)
    fs.mkdirSync(this.home)
    fs.writeFileSync(`${this.home}/.gitconfig`, "[user]\n\tname = Ada\n\temail = ada@example.org\n")
  }

  readonly write = (name: string, content: string | Uint8Array): void => {
    const file = path.resolve(this.root, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
  readonly read = (name: string): string => fs.readFileSync(path.resolve(this.root, name), "utf8")
  readonly has = (name: string): boolean => fs.existsSync(path.resolve(this.root, name))

  /** Git as the user runs it, with all that the repository configures. */
  readonly git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", [...args], { cwd: this.root, env: this.environment, encoding: "utf8", stdio: "pipe" })

  /** Files that a payload has left anywhere. */
  readonly pwned = (): ReadonlyArray<string> =>
    fs.readdirSync(this.base, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("PWNED"))

  /** What the built-in tools require, without a sandbox; the workspace is another directory where one is named. */
  readonly layer = (options: Omit<Builtin.BuiltinOptions, "workspace"> = {}, root = this.root) =>
    Layer.mergeAll(
      Memory.layerMemory(),
      Sandbox.layerNone,
      Builtin.layerUnsandboxed({
        environment: this.environment,
        ...options,
        workspace: { root, home: this.home, trusted: false }
      })
    )
}

const worldIn = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new World(parent)),
    ({ base }) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 }))
  )

export const world = worldIn(os.tmpdir())

/** Where a sandbox does not have a temporary directory of its own. */
export const lastingWorld = worldIn("/var/tmp")

export interface Called {
  /** The text for the model, or the message of the failure. */
  readonly text: string
  /** The tag of the failure. */
  readonly error: string | undefined
  readonly asked: ReadonlyArray<ApprovalRequest>
  readonly events: ReadonlyArray<CallEvent>
}

type Decide = (request: ApprovalRequest) => "approve" | "deny"

/** One call through the whole gate; `decide` is asked where the tool wants a decision. */
export const call = Effect.fnUntraced(function* (
  name: (typeof Builtin.tools)[number]["name"],
  params: unknown,
  decide: Decide = () => "approve",
  watch: (event: CallEvent) => Effect.Effect<void> = () => Effect.void,
  retry?: RetryPolicy
) {
  const asked: Array<ApprovalRequest> = []
  const events: Array<CallEvent> = []
  const emit = (event: CallEvent) => {
    events.push(event)
    return watch(event)
  }
  const toolset = yield* Toolset.make(Builtin.tools, {
    middleware: DefaultStack.make(retry === undefined ? {} : { retry })
  })
  const result = yield* toolset
    .call({
      name,
      rawParams: params,
      callId: "call_1",
      sessionId: "session_1",
      workerPath: ["root"],
      startedAt: 0,
      by: name === "git_push" ? "user" : "model",
      sink: { emit, commit: emit }
    })
    .pipe(
      Effect.either,
      Effect.provide(
        Approvals.layerDecide((request) => {
          asked.push(request)
          return { decision: decide(request) }
        })
      )
    )
  return {
    text: Either.isRight(result) ? result.right.text : result.left.message,
    error: Either.isLeft(result) ? result.left._tag : undefined,
    asked,
    events
  } satisfies Called
})

/** Does something once the call has passed the gate and before its handler runs. */
export const meanwhile =
  (action: () => void) =>
  (event: CallEvent): Effect.Effect<void> =>
    Effect.sync(() => {
      if (event._tag === "ToolCallStarted") action()
    })

export const approved = () => "approve" as const

/** What a call printed while it ran. */
export const printed = (events: ReadonlyArray<CallEvent>, channel: "stdout" | "stderr"): string =>
  events.flatMap((event) => (event._tag === "ToolOutput" && event.channel === channel ? [event.text] : [])).join("")

export const changes = (events: ReadonlyArray<CallEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event._tag === "FileChanged" ? [`${event.change} ${path.basename(event.path)}`] : []))
