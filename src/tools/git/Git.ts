import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { Processes } from "../../process/Processes.ts"
import { render } from "../../process/Output.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { confine, steersGit } from "../Confinement.ts"
import { environmentHere } from "../ToolEnvironment.ts"
import { Workspace } from "../Workspace.ts"
import { GitFailed, GitRefused } from "./GitError.ts"
import { nobodys, settings, variables, type Settings } from "./hardening.ts"
import * as Origin from "./Origin.ts"
import * as Repository from "./Repository.ts"
import { handedOn, parse, unknownFormat, type Setting } from "./Setting.ts"
import * as StandIn from "./StandIn.ts"
import { duration } from "../../text/duration.ts"

export interface GitOptions {
  /** In the sandbox: what git may change. */
  readonly write?: boolean
  readonly network?: boolean
  /** Allowed protocols of remotes. Default: none. */
  readonly protocols?: ReadonlyArray<string>
  readonly settings?: Settings
  readonly env?: Readonly<Record<string, string>>
  /** Directories outside the workspace that git needs to write. */
  readonly scratch?: ReadonlyArray<string>
  /** Git directories outside the workspace that it sends to; what makes git run something stays as it is there. */
  readonly receiving?: ReadonlyArray<string>
  readonly stdin?: string
  /** Its working directory. Default: the workspace. */
  readonly cwd?: string
  /** Exit codes besides 0 that count as success. */
  readonly accept?: ReadonlyArray<number>
  /** Bytes of the answer that are kept, half from either end; where it must be whole, longer ones fail. */
  readonly limit?: number
  readonly whole?: boolean
  /** Its time limit. Default: 1 minute. */
  readonly time?: Duration.DurationInput
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A repository with git in front of it that runs no program of the repository's choosing. */
export interface Git {
  readonly repository: Repository.Repository
  readonly run: (args: ReadonlyArray<string>, options?: GitOptions) => Effect.Effect<GitAnswer, GitFailed>
  /** The configuration of the user and the repository. */
  readonly settings: ReadonlyArray<Setting>
  /** What makes any git that is started with it read this repository so, and nothing but it. */
  readonly env: Readonly<Record<string, string>>
  /** Directories that such a git reads. */
  readonly readable: ReadonlyArray<string>
}

const defaultTime: Duration.DurationInput = "60 seconds"
const defaultLimit = 256 * 1024

/** Bytes of a configuration. */
const configurationLimit = 4 * 1024 * 1024

export interface OpenOptions {
  /** `users` keeps the filters that the user's own configuration defines, e.g. for large files. */
  readonly filters: "none" | "users"
  /** Whether the repository will be written to. */
  readonly writes: boolean
}

/** Git for as long as the scope is open. */
export const open = Effect.fnUntraced(function* ({ filters, writes }: OpenOptions) {
  const repository = yield* Repository.find
  const [processes, sandbox, redactor, environment, { context }] = yield* Effect.all([
    Processes,
    Sandbox,
    Redactor,
    environmentHere,
    Workspace
  ])
  if (sandbox.describe.target === "ssh") {
    return yield* new GitRefused({
      reason: "commands run on another machine, but the git tools use the files of this one; use run_shell"
    })
  }
  yield* Origin.check(repository, context.roots)
  const standIn = yield* StandIn.make(repository, writes)

  const hardened: Readonly<Record<string, string>> = {
    GIT_DIR: repository.gitDirectory,
    GIT_COMMON_DIR: standIn.path,
    GIT_WORK_TREE: repository.top,
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1"
  }
  const readable = [repository.gitDirectory, repository.commonDirectory, standIn.path]

  const runWith = (own: Readonly<Record<string, string>>) =>
    Effect.fnUntraced(function* (args: ReadonlyArray<string>, options: GitOptions = {}) {
      const time = options.time ?? defaultTime
      const policy = confine(context, { write: options.write ?? false, network: options.network ?? false })
      const fail = (exitCode: number | null, output: string) =>
        new GitFailed({ command: args[0] ?? "", exitCode, output: redactor.text(output.trim()).slice(0, 4000) })
      const command = sandbox.wrap(
        {
          file: "git",
          args: ["--no-pager", ...args],
          cwd: options.cwd ?? repository.cwd,
          env: {
            ...environment,
            ...variables([...settings, ...(options.settings ?? [])]),
            ...own,
            ...hardened,
            GIT_ALLOW_PROTOCOL: options.protocols?.join(":") ?? "none",
            ...options.env
          },
          ...(options.stdin === undefined ? {} : { stdin: { text: options.stdin } })
        },
        {
          ...policy,
          readable: [...(policy.readable ?? []), ...readable],
          writable: [
            ...policy.writable,
            ...(options.write === true ? [repository.gitDirectory, repository.commonDirectory] : []),
            ...(options.scratch ?? []),
            ...(options.receiving ?? [])
          ],
          protected: [
            ...policy.protected,
            ...[repository.commonDirectory, ...(options.receiving ?? [])].flatMap(steersGit)
          ],
          hidden: options.network === true ? context.stateDirs : (policy.hidden ?? [])
        }
      )
      const ended = yield* processes
        .run(command, { limit: options.limit ?? defaultLimit, limits: { time: Duration.decode(time) } })
        .pipe(Effect.catchTag("SpawnFailed", (failure) => fail(null, failure.message)))
      const { exceeded, exitCode, stderr, stdout } = ended
      if (exceeded !== undefined) return yield* fail(null, `it took longer than ${duration(Duration.toMillis(time))}`)
      if (exitCode === null || (exitCode !== 0 && options.accept?.includes(exitCode) !== true)) {
        return yield* fail(exitCode, render(stderr) || render(stdout))
      }
      if (stdout._tag === "Incomplete" && (stdout.truncated || options.whole === true)) {
        return yield* fail(exitCode, stdout.truncated ? "the end of its output was lost" : "its output is too long")
      }
      return { exitCode, stdout: render(stdout), stderr: render(stderr) } satisfies GitAnswer
    })

  const whole = { limit: configurationLimit, whole: true }
  const alone = runWith(nobodys)
  const fromFile = (file: string, scope: string) =>
    fs.existsSync(file)
      ? Effect.map(alone(["config", "--file", file, "--no-includes", "--list", "--null"], whole), ({ stdout }) =>
          parse(stdout, scope)
        )
      : Effect.succeed([])
  const ofRepository = Effect.gen(function* () {
    const local = yield* fromFile(`${repository.commonDirectory}/config`, "local")
    return local.some(({ name, value }) => name === "extensions.worktreeconfig" && value === "true")
      ? [...local, ...(yield* fromFile(`${repository.gitDirectory}/config.worktree`, "worktree"))]
      : local
  })
  const ofUser = Effect.map(
    runWith({})(["config", "--includes", "--show-scope", "--list", "--null"], whole),
    ({ stdout }) => parse(stdout).filter(({ scope }) => scope === "system" || scope === "global")
  )
  const [own, users] = yield* Effect.all([ofRepository, ofUser], { concurrency: 2 })
  const unknown = unknownFormat(own)
  if (unknown !== undefined) {
    return yield* new GitRefused({ reason: `the format of the repository is not supported (${unknown})` })
  }
  const all = [...users, ...own]
  yield* standIn.configure(handedOn(all, filters))
  // An empty program name still runs one without `--no-ext-diff`; our configuration is the only one read.
  const withoutPrograms = settings.filter(([name]) => name !== "diff.external")
  const env = { ...variables(withoutPrograms), ...nobodys, ...hardened, GIT_ALLOW_PROTOCOL: "none" }
  return { repository, settings: all, run: alone, env, readable } satisfies Git
})
