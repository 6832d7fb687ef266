import * as Effect from "effect/Effect"
import { systemPath } from "../process/Environment.ts"
import { head } from "../process/Output.ts"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { Processes } from "../process/Processes.ts"
import { bubblewrap } from "./bubblewrap.ts"
import * as Plan from "./Plan.ts"
import { processLimit } from "./processLimit.ts"
import { sandboxExec } from "./sandboxExec.ts"
import type { SandboxPolicy, SandboxReason, SandboxTarget } from "./SandboxPolicy.ts"
import { systemProgram } from "./systemProgram.ts"

export interface Detected {
  readonly target: SandboxTarget
  readonly reason: SandboxReason
  readonly detail: string
}

const strictest: SandboxPolicy = { writable: [], protected: [], network: false, cwd: "/" }

const probe: ProcessCommand = { file: "true", args: [], cwd: "/", env: { PATH: systemPath } }

const limit = "5 seconds"

const none = (reason: SandboxReason, detail: string): Detected => ({ target: "none", reason, detail })

const attempts: Partial<
  Record<NodeJS.Platform, readonly [SandboxTarget, string, (plan: Plan.Plan) => ProcessCommand]>
> = {
  linux: [
    "bubblewrap",
    "bubblewrap (bwrap)",
    (plan) => bubblewrap(systemProgram("bwrap"), probe, plan, strictest.network, processLimit())
  ],
  darwin: ["sandbox-exec", "sandbox-exec", (plan) => sandboxExec(probe, plan, strictest.network)]
}

/** Starts an empty command under the strictest policy in what the platform should have. */
export const detectOn = (platform: NodeJS.Platform): Effect.Effect<Detected, never, Processes> =>
  Effect.gen(function* () {
    const attempt = attempts[platform]
    if (attempt === undefined)
      return none("unsupported-platform", `Commands run unconfined: no sandbox supports ${platform}. Use a container.`)
    const [target, name, command] = attempt
    const processes = yield* Processes
    /** A machine that is too busy to tell does not take the sandbox away: then commands fail rather than run without it. */
    const untold = (why: string): Detected => ({
      target,
      reason: "detected",
      detail: `${name} could not be tested, but is used anyway. ${why}`
    })
    return yield* processes.run(command(Plan.make(strictest))).pipe(
      Effect.map(({ exitCode, stderr }): Detected =>
        exitCode === 0
          ? { target, reason: "detected", detail: `Found ${name}.` }
          : none(
              "not-permitted",
              `Commands run unconfined: ${name} does not work here (${head(stderr).trim().slice(0, 200) || `exit ${exitCode}`}). ` +
                "Allow user namespaces, or use a container."
            )
      ),
      Effect.catchTag("SpawnFailed", (failure) =>
        Effect.succeed(
          failure.reason === "no-program"
            ? none(
                "not-installed",
                `Commands run unconfined: ${name} is not installed. Install it with the system's packages.`
              )
            : failure.reason === "refused" || failure.reason === "too-large"
              ? untold(failure.message)
              : none("not-permitted", `Commands run unconfined. ${failure.message}`)
        )
      ),
      Effect.timeoutTo({
        duration: limit,
        onSuccess: (detected) => detected,
        onTimeout: () => untold(`It did not start within ${limit}.`)
      })
    )
  })

export const detect = Effect.suspend(() => detectOn(process.platform))
