import { Effect, Schema } from "effect"
import * as crypto from "node:crypto"
import * as path from "node:path"
import { allow } from "../../src/policy/Verdict.ts"
import { judgeLexical } from "../../src/policy/path/PathPolicy.ts"
import { classify } from "../../src/policy/shell/ShellPolicy.ts"
import type { Preview } from "../../src/tool/Preview.ts"
import * as Tool from "../../src/tool/Tool.ts"

export const hashOf = (text: string): string => crypto.createHash("sha256").update(text).digest("hex")

const places = { cwd: "/w", roots: ["/w"], home: "/home/u", trusted: false, stateDirs: ["/w/.tollgate"] }

export class PathDenied extends Schema.TaggedError<PathDenied>()("PathDenied", {}) {}
export class CommandDenied extends Schema.TaggedError<CommandDenied>()("CommandDenied", {}) {}
/** The file is not what the edit was made for. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {}) {}
/** Comes after the side effect. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {}) {
  readonly retryable = true
}
const Refused = Schema.Union(PathDenied, CommandDenied, Conflict, TimedOut)

/** Files and a record of what ran; nothing is executed for real. */
export class Machine {
  readonly files = new Map<string, string>([
    ["/w/a", "1"],
    ["/w/package.json", `{"scripts":{"test":"vitest"}}`]
  ])
  readonly executed: Array<string> = []
  failFirst = false

  hash(file: string): string | null {
    const text = this.files.get(file)
    return text === undefined ? null : hashOf(text)
  }

  run(callId: string): Effect.Effect<string, TimedOut> {
    return Effect.suspend(() => {
      this.executed.push(callId)
      if (this.failFirst && this.executed.filter((id) => id === callId).length === 1) {
        return new TimedOut()
      }
      return Effect.succeed("done")
    })
  }
}

const absolute = (file: string): string => path.posix.resolve("/w", file)

const changing = (machine: Machine, file: string, next: (text: string | undefined) => string | undefined) =>
  Effect.suspend((): Effect.Effect<Preview, PathDenied | Conflict> => {
    const target = absolute(file)
    if (judgeLexical(target, "write", places).decision === "deny") return new PathDenied()
    const before = machine.files.get(target)
    const after = next(before)
    if (after === undefined) return new Conflict()
    return Effect.succeed({
      summary: `change ${file}`,
      diff: `--- ${file}\n+++ ${file}\n-${before ?? ""}\n+${after}`,
      targets: [{ path: target, baseHash: machine.hash(target) }]
    })
  })

/** The real classifier also refuses to run the runtime itself; the corpus is about what happens if it were asked for. */
const isDenied = (command: string): boolean => {
  const { decision, rule } = classify(command, { ...places, judgePath: () => allow("test", "any path") })
  return decision === "deny" && rule !== "shell/runtime-itself"
}

const Text = Schema.optionalWith(Schema.String, { exact: true })

export const mockTools = (machine: Machine) => {
  const common = { success: Schema.String, failure: Refused } as const
  const replace = (from: string, to: string) => (text: string | undefined) =>
    text?.includes(from) === true ? text.replace(from, to) : undefined
  return [
    Tool.make("run_shell", {
      ...common,
      description: "Runs a command",
      risk: "high",
      parameters: Schema.Struct({ command: Schema.String, description: Text }),
      approval: ({ command }) => (isDenied(command) ? new CommandDenied() : Effect.succeed(true)),
      handler: (_, { callId }) => machine.run(callId)
    }),
    Tool.make("write_file", {
      ...common,
      description: "Writes a file",
      category: "files",
      parameters: Schema.Struct({ path: Schema.String, content: Schema.String }),
      approval: "always",
      preview: ({ content, path: file }) => changing(machine, file, () => content),
      handler: (_, { callId }) => machine.run(callId)
    }),
    Tool.make("edit_file", {
      ...common,
      description: "Edits a file",
      category: "files",
      parameters: Schema.Struct({ path: Schema.String, old: Schema.String, new: Schema.String }),
      approval: "always",
      preview: (params) => changing(machine, params.path, replace(params.old, params.new)),
      handler: (params, { callId }) =>
        Effect.tap(machine.run(callId), () =>
          Effect.sync(() => {
            const target = absolute(params.path)
            const text = replace(params.old, params.new)(machine.files.get(target))
            if (text !== undefined) machine.files.set(target, text)
          })
        )
    }),
    Tool.make("read_file", {
      ...common,
      description: "Reads a file",
      readOnly: true,
      parameters: Schema.Struct({ path: Schema.String }),
      approval: "always",
      handler: (_, { callId }) => machine.run(callId)
    }),
    Tool.make("fetch_url", {
      ...common,
      description: "Fetches a page",
      parameters: Schema.Struct({ url: Schema.String }),
      approval: "always",
      handler: (_, { callId }) => machine.run(callId)
    }),
    Tool.make("git_push", {
      ...common,
      description: "Pushes",
      mode: "manual",
      parameters: Schema.Struct({
        remote: Schema.String.pipe(Schema.pattern(/^[a-z][\w-]*$/)),
        branch: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w./-]*$/))
      }),
      approval: "always",
      handler: (_, { callId }) => machine.run(callId)
    })
  ] as const
}

/** A tool of a server that nobody trusts, whose hints count for nothing. */
export const foreignTool = (machine: Machine, name: string, description: string) =>
  Tool.make(name, {
    success: Schema.String,
    failure: Refused,
    description,
    parameters: Schema.Struct({ note: Text }),
    approval: "always",
    handler: (_, { callId }) => machine.run(callId)
  })
