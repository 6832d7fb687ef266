import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { FileHash } from "../approval/FileHash.ts"
import { Reviewer } from "../approval/Reviewer.ts"
import { ConfigInvalid } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { Processes } from "../process/Processes.ts"
import { Surroundings } from "./Surroundings.ts"
import { userProgram, type Workplaces } from "./Workplaces.ts"

/** What may be said of a host besides its configuration. */
export interface Choices {
  /** What happens to calls that need approval; by the configuration if unset, and `allow` only if it is said here. */
  readonly policy?: ApprovalPolicy
  /** The mode that lets most run of those that a session may be set to; any but `allow` if unset. */
  readonly most?: ApprovalPolicy
  /** Whether a person answers approval requests; if not, no one is asked. Default: false. */
  readonly attended?: boolean
}

/** The program of the user that decides before a person is asked; none where none is configured. */
const reviewer: Layer.Layer<never, never, Configuration | Surroundings | Workplaces> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const program = settings.approvals?.reviewer
    if (program === undefined) return Layer.empty
    const { command, ...options } = program
    const own = (yield* userProgram)(command)
    return Layer.provide(Reviewer.layerProgram({ ...own, ...options }), Processes.layer)
  })
)

const policyOf = ({ attended = false, policy }: Choices) =>
  Effect.flatMap(Configuration, ({ entries, settings }): Effect.Effect<ApprovalPolicy, ConfigInvalid> => {
    const chosen = policy ?? settings.approvals?.policy ?? "ask"
    if (chosen === "allow" && policy === undefined) {
      const key = "approvals.policy"
      const source = entries.find((entry) => entry.key === key)?.source ?? "configuration"
      const problem = "allow runs every call without asking, and counts only as an option of the host"
      return new ConfigInvalid({ problems: [{ source, key, problem, mend: [] }] })
    }
    return Effect.succeed(chosen === "ask" && !attended ? "fail" : chosen)
  })

/** The approvals of the user, with the rules of the configuration; what they require of the machine is their own. */
export const approvals = (options: Choices) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { home, settings } = yield* Configuration
      const { directory } = yield* Surroundings
      const { rules = [], timeout } = settings.approvals ?? {}
      const policy = yield* policyOf(options)
      return Approvals.layerAudited({
        policy,
        attended: options.attended ?? false,
        danger: policy === "allow",
        ...(options.most === undefined ? {} : { most: options.most }),
        always: true,
        root: directory,
        home: home.user,
        rules,
        ...(timeout === undefined ? {} : { timeout })
      })
    })
  ).pipe(Layer.provide(reviewer), Layer.provide(FileHash.layerLocal))
