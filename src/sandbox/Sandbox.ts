import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { Processes } from "../process/Processes.ts"
import { SpawnFailed } from "../process/SpawnFailed.ts"
import { bubblewrap } from "./bubblewrap.ts"
import type { ContainerOptions } from "./container.ts"
import { container, removal } from "./container.ts"
import { detect } from "./detect.ts"
import * as Placeholders from "./Placeholders.ts"
import * as Plan from "./Plan.ts"
import { processLimit } from "./processLimit.ts"
import { sandboxExec } from "./sandboxExec.ts"
import type { SandboxPolicy, SandboxReason, SandboxStatus } from "./SandboxPolicy.ts"
import { ssh } from "./ssh.ts"
import { systemProgram } from "./systemProgram.ts"

export interface Shape {
  readonly describe: SandboxStatus
  /** The same command where it is to run, under the policy. Looks at the file system; run the result at once. */
  readonly wrap: (command: ProcessCommand, policy: SandboxPolicy) => ProcessCommand
}

/** Where commands run, and what holds them there; a tool does not know which. */
export class Sandbox extends Context.Tag("tollgate/sandbox/Sandbox")<Sandbox, Shape>() {
  /** This machine, with nothing but the user's own rights as a limit. */
  static readonly layerNone = Layer.sync(Sandbox, () => none("configured", "Commands run unconfined, as configured."))

  /** Linux, by way of `bwrap`. */
  static readonly layerBubblewrap = Layer.sync(Sandbox, () => withBubblewrap("configured"))

  /** macOS. */
  static readonly layerSandboxExec = Layer.sync(Sandbox, () => withSandboxExec("configured"))

  /** A new container for every command, removed with it. */
  static readonly layerContainer = (options: ContainerOptions) =>
    Layer.effect(
      Sandbox,
      Effect.map(Processes, (processes) => withContainer(options, processes))
    )

  /** Another machine, which the policy does not reach. */
  static readonly layerSsh = (options: { readonly host: string }) => Layer.sync(Sandbox, () => withSsh(options.host))

  /** What this system has, found out once by starting something in it; `layerNone` with the reason where it has nothing. */
  static readonly layerDetect = Layer.effect(
    Sandbox,
    Effect.map(detect, ({ target, reason, detail }) =>
      target === "bubblewrap"
        ? withBubblewrap(reason)
        : target === "sandbox-exec"
          ? withSandboxExec(reason)
          : none(reason, detail)
    )
  )
}

const none = (reason: SandboxReason, detail: string): Shape => ({
  describe: { target: "none", isolated: false, reason, detail },
  wrap: (command) => command
})

const isolated = (target: SandboxStatus["target"], reason: SandboxReason, detail: string): SandboxStatus => ({
  target,
  isolated: true,
  reason,
  detail: `${detail} The system is read-only, and there is no network unless configured.`
})

/** Adds what has to be held to what the command holds already. */
const holding = (command: ProcessCommand, held: NonNullable<ProcessCommand["held"]>): ProcessCommand => ({
  ...command,
  held: command.held ? Effect.zipRight(command.held, held) : held
})

const withPlaceholders = (
  placeholders: Placeholders.Placeholders,
  policy: SandboxPolicy,
  wrap: (plan: Plan.Plan) => ProcessCommand
): ProcessCommand => {
  const plan = Plan.make(policy, placeholders.view)
  if (plan.absent.length === 0) return wrap(plan)
  const wrapped = wrap(plan)
  const { cwd, file } = wrapped
  return holding(
    wrapped,
    Effect.mapError(
      placeholders.hold(plan.absent),
      ({ code }) => new SpawnFailed({ file, cwd, code, reason: "not-held" })
    )
  )
}

const withBubblewrap = (reason: SandboxReason): Shape => {
  const program = systemProgram("bwrap")
  const placeholders = Placeholders.make()
  return {
    describe: isolated("bubblewrap", reason, "Commands run in bubblewrap."),
    wrap: (command, policy) =>
      withPlaceholders(placeholders, policy, (plan) =>
        bubblewrap(program, command, plan, policy.network, processLimit())
      )
  }
}

const withSandboxExec = (reason: SandboxReason): Shape => ({
  describe: isolated("sandbox-exec", reason, "Commands run in sandbox-exec."),
  wrap: (command, policy) => sandboxExec(command, Plan.make(policy), policy.network)
})

const withSsh = (host: string): Shape => {
  const program = systemProgram("ssh")
  const detail = `Commands run on ${host} with all rights of its user: the policy of this machine does not hold there.`
  return {
    describe: { target: "ssh", isolated: false, reason: "configured", detail },
    wrap: (command) => ssh(program, host, command)
  }
}

const withContainer = (options: ContainerOptions, processes: Processes["Type"]): Shape => {
  const placeholders = Placeholders.make()
  const program = systemProgram(options.engine)
  const user = process.getuid && process.getgid ? `${process.getuid()}:${process.getgid()}` : undefined
  return {
    describe: isolated("container", "configured", `Commands run in ${options.engine} containers of ${options.image}.`),
    wrap: (command, policy) => {
      const run = { program, user, name: `tollgate-${randomUUID()}` }
      const remove = processes.run(removal(run, command)).pipe(Effect.timeout("10 seconds"), Effect.ignore)
      return holding(
        withPlaceholders(placeholders, policy, (plan) => container(options, run, command, plan, policy.network)),
        Effect.addFinalizer(() => Effect.interruptible(remove))
      )
    }
  }
}
