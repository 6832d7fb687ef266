import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Processes } from "../../process/Processes.ts"
import { render } from "../../process/Output.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { confine, steersGit } from "../Confinement.ts"
import { ToolEnvironment } from "../ToolEnvironment.ts"
import { Workspace } from "../Workspace.ts"
import { GitFailed } from "./GitError.ts"
import { neutral, settings, variables, type Settings } from "./hardening.ts"
import * as Repository from "./Repository.ts"

export interface GitOptions {
  /** In the sandbox: what git may change. */
  readonly write?: boolean
  readonly network?: boolean
  /** Protocols of remotes that may be talked to; none where absent. */
  readonly protocols?: ReadonlyArray<string>
  readonly settings?: Settings
  readonly env?: Readonly<Record<string, string>>
  /** Directories outside the workspace that git needs to write. */
  readonly scratch?: ReadonlyArray<string>
  readonly stdin?: string
  /** Exit codes besides 0 that are an answer. */
  readonly accept?: ReadonlyArray<number>
  /** Bytes of the answer that are kept, half from either end; where it must be whole, longer ones fail. */
  readonly limit?: number
  readonly whole?: boolean
  /** How long it may take; a minute where absent. */
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
  /** Values of the configuration files by scope (`system`, `global`, `local`, `worktree`), from those the pattern fits. */
  readonly configured: (pattern: string) => Effect.Effect<ReadonlyArray<Configured>, GitFailed>
}

export interface Configured {
  readonly scope: string
  readonly name: string
  readonly value: string
}

const defaultTime: Duration.DurationInput = "60 seconds"
const defaultLimit = 256 * 1024

/** Whether the repository, not the user, said it. */
export const isForeign = ({ scope }: Configured): boolean => scope === "local" || scope === "worktree"

const parse = (output: string): ReadonlyArray<Configured> => {
  const fields = output.split("\0")
  const found: Array<Configured> = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [name = "", ...value] = (fields[index + 1] ?? "").split("\n")
    found.push({ scope: fields[index] ?? "", name, value: value.join("\n") })
  }
  return found
}

const filterName = /^filter\.(.+)\.(?:clean|smudge|process|required)$/s

/** `users` keeps the filters that the user's own configuration defines, e.g. for large files, and that the repository does not. */
export const open = Effect.fnUntraced(function* (filters: "none" | "users") {
  const repository = yield* Repository.find
  const [processes, sandbox, redactor, environment, { context }] = yield* Effect.all([
    Processes,
    Sandbox,
    Redactor,
    ToolEnvironment,
    Workspace
  ])

  const runWith = (known: Settings) =>
    Effect.fnUntraced(function* (args: ReadonlyArray<string>, options: GitOptions = {}) {
      const time = options.time ?? defaultTime
      const policy = confine(context, { write: options.write ?? false, network: options.network ?? false })
      const fail = (exitCode: number | null, output: string) =>
        new GitFailed({ command: args[0] ?? "", exitCode, output: redactor.text(output.trim()).slice(0, 4000) })
      const command = sandbox.wrap(
        {
          file: "git",
          args: ["--no-pager", ...args],
          cwd: repository.cwd,
          env: {
            ...environment,
            ...variables([...settings, ...known, ...(options.settings ?? [])]),
            GIT_WORK_TREE: repository.top,
            GIT_CEILING_DIRECTORIES: repository.top.slice(0, repository.top.lastIndexOf("/")) || "/",
            GIT_ALLOW_PROTOCOL: options.protocols?.join(":") ?? "none",
            GIT_OPTIONAL_LOCKS: "0",
            ...options.env
          },
          ...(options.stdin === undefined ? {} : { stdin: { text: options.stdin } })
        },
        {
          ...policy,
          writable: [
            ...policy.writable,
            ...(options.write === true ? [repository.gitDirectory, repository.commonDirectory] : []),
            ...(options.scratch ?? [])
          ],
          protected: [...policy.protected, ...steersGit(repository.commonDirectory)],
          hidden: options.network === true ? context.stateDirs : (policy.hidden ?? [])
        }
      )
      const ended = yield* processes.run(command, { limit: options.limit ?? defaultLimit }).pipe(
        Effect.catchTag("SpawnFailed", (failure) => fail(null, failure.message)),
        Effect.timeoutOption(time)
      )
      if (Option.isNone(ended)) return yield* fail(null, `it took longer than ${Duration.format(time)}`)
      const { exitCode, stderr, stdout } = ended.value
      if (exitCode === null || (exitCode !== 0 && options.accept?.includes(exitCode) !== true)) {
        return yield* fail(exitCode, render(stderr) || render(stdout))
      }
      if (stdout._tag === "Incomplete" && (stdout.truncated || options.whole === true)) {
        return yield* fail(exitCode, stdout.truncated ? "the end of its answer was lost" : "its answer is too long")
      }
      return { exitCode, stdout: render(stdout), stderr: render(stderr) } satisfies GitAnswer
    })

  const configuredBy = (run: Git["run"]) => (pattern: string) =>
    Effect.map(
      run(["config", "--show-scope", "--null", "--get-regexp", pattern], { accept: [1], whole: true }),
      ({ stdout }) => parse(stdout).filter(({ scope }) => scope !== "command")
    )

  const found = yield* configuredBy(runWith([]))(String.raw`^filter\.`)
  const names = new Set(
    found
      .filter((entry) => filters === "none" || isForeign(entry))
      .flatMap(({ name }) => filterName.exec(name)?.[1] ?? [])
  )
  const run = runWith(neutral(names))
  return { repository, run, configured: configuredBy(run) } satisfies Git
})
