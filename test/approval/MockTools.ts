import { Effect, Schema } from "effect"
import * as path from "node:path"
import { allow, type Verdict } from "../../src/policy/Verdict.ts"
import { judgeLexical } from "../../src/policy/path/PathPolicy.ts"
import { classify } from "../../src/policy/shell/ShellPolicy.ts"
import type { Preview } from "../../src/tool/Preview.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { touching } from "../support/touching.ts"
import { type Machine, TimedOut } from "./Machine.ts"

const places = { cwd: "/w", roots: ["/w"], home: "/home/u", trusted: false, stateDirs: ["/w/.tollgate"] }

export class PathDenied extends Schema.TaggedError<PathDenied>()("PathDenied", {}) {}
export class CommandDenied extends Schema.TaggedError<CommandDenied>()("CommandDenied", {}) {}
/** The file is not what the edit was made for. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {}) {}
const Refused = Schema.Union(PathDenied, CommandDenied, Conflict, TimedOut)

const absolute = (file: string): string => path.posix.resolve("/w", file)

/** The real classifier also refuses to run the runtime itself; the corpus is about what happens if it were asked for. */
const isDenied = (command: string): boolean => {
  const { decision, rule } = classify(command, { ...places, judgePath: () => allow("test", "any path") })
  return decision === "deny" && rule !== "shell/runtime-itself"
}

const Text = Schema.optionalWith(Schema.String, { exact: true })
const Flag = Schema.optionalWith(Schema.Boolean, { exact: true })
const Whole = Schema.optionalWith(Schema.Int, { exact: true })

/** Every built-in tool (S1) and some of others, whose side effects are a line in the machine's record; `asking` always ask. */
export const mockTools = (machine: Machine, asking: ReadonlySet<string> = new Set()): ReadonlyArray<Tool.Any> => {
  const common = { success: Schema.String, failure: Refused } as const
  const handler = (_: unknown, { callId }: { readonly callId: string }) => machine.run(callId)
  const verdictOf = (file: string, op: "read" | "write"): Verdict =>
    judgeLexical(machine.resolve(absolute(file)), op, places)

  const changing = (changes: ReadonlyArray<readonly [string, (text: string | undefined) => string | undefined]>) =>
    Effect.suspend((): Effect.Effect<Preview, PathDenied | Conflict> => {
      const targets: Array<Preview["targets"][number]> = []
      const diff: Array<string> = []
      for (const [file, next] of changes) {
        const target = absolute(file)
        if (verdictOf(file, "write").decision === "deny") return new PathDenied()
        const before = machine.files.get(machine.resolve(target))
        const after = next(before)
        if (after === undefined) return new Conflict()
        targets.push({ path: machine.resolve(target), baseHash: machine.hash(target) })
        diff.push(`--- ${file}\n+++ ${file}\n-${before ?? ""}\n+${after}`)
      }
      return Effect.succeed({
        summary: `change ${changes.map(([file]) => file).join(", ")}`,
        diff: diff.join("\n"),
        targets
      })
    })
  const replace = (from: string, to: string) => (text: string | undefined) =>
    text?.includes(from) === true ? text.replace(from, to) : undefined
  const write = (file: string, next: (text: string | undefined) => string | undefined) =>
    Effect.sync(() => {
      const target = machine.resolve(absolute(file))
      const text = next(machine.files.get(target))
      if (text !== undefined) machine.files.set(target, text)
    })

  /** Reads what its path allows; asks where that says so, or where the row presupposes that it asks. */
  const reading = <Fields extends Schema.Struct.Fields>(name: string, fields: Fields) =>
    Tool.make(name, {
      ...common,
      description: `Mock of ${name}`,
      category: "files",
      readOnly: true,
      touches: ({ path: file = "." }) => ({ paths: [{ path: file, op: "read" }], complete: true }),
      parameters: Schema.Struct({ path: Text, ...fields }) as unknown as Schema.Schema<{ readonly path?: string }>,
      approval: ({ path: file = "." }) => {
        const { decision } = verdictOf(file, "read")
        return decision === "deny" ? new PathDenied() : Effect.succeed(decision === "ask" || asking.has(name))
      },
      handler
    })
  const simple = <Fields extends Schema.Struct.Fields>(
    name: string,
    fields: Fields,
    more: {
      readonly approval?: "never" | "always"
      readonly risk?: Tool.Risk
      readonly category?: string
      readonly readOnly?: boolean
    }
  ) =>
    Tool.make(name, {
      ...common,
      description: `Mock of ${name}`,
      parameters: Schema.Struct(fields) as unknown as Schema.Schema<object>,
      approval: asking.has(name) ? "always" : "never",
      touches: "none",
      handler,
      ...more
    })
  const patched = (patch: string): ReadonlyArray<string> =>
    [...patch.matchAll(/^\+\+\+ (?:b\/)?(\S+)|^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
      ([, unified, listed]) => unified ?? listed ?? ""
    )

  return [
    Tool.make("run_shell", {
      ...common,
      description: "Runs a command",
      category: "shell",
      risk: "high",
      touches: touching,
      parameters: Schema.Struct({ command: Schema.String, description: Text, cwd: Text, timeout: Whole }),
      approval: ({ command }) => (isDenied(command) ? new CommandDenied() : Effect.succeed(true)),
      handler
    }),
    Tool.make("write_file", {
      ...common,
      description: "Writes a file",
      category: "files",
      touches: touching,
      parameters: Schema.Struct({ path: Schema.String, content: Schema.String }),
      approval: "always",
      preview: ({ content, path: file }) => changing([[file, () => content]]),
      handler: (params, { callId }) =>
        Effect.zipLeft(
          machine.run(callId),
          write(params.path, () => params.content)
        )
    }),
    Tool.make("edit_file", {
      ...common,
      description: "Edits a file",
      category: "files",
      touches: touching,
      parameters: Schema.Struct({ path: Schema.String, old: Schema.String, new: Schema.String }),
      approval: "always",
      preview: (params) => changing([[params.path, replace(params.old, params.new)]]),
      handler: (params, { callId }) =>
        Effect.zipLeft(machine.run(callId), write(params.path, replace(params.old, params.new)))
    }),
    Tool.make("apply_patch", {
      ...common,
      description: "Applies a patch",
      category: "files",
      touches: ({ patch }) => ({ paths: patched(patch).map((file) => ({ path: file, op: "write" })) }),
      parameters: Schema.Struct({ patch: Schema.String }),
      approval: "always",
      preview: ({ patch }) => changing(patched(patch).map((file) => [file, () => patch])),
      handler
    }),
    Tool.make("delete_file", {
      ...common,
      description: "Deletes a file",
      category: "files",
      risk: "high",
      touches: ({ path: file, recursive }) => ({
        paths: [{ path: file, op: "remove", ...(recursive === true && { below: "all" }) }],
        complete: true
      }),
      parameters: Schema.Struct({ path: Schema.String, recursive: Flag }),
      approval: "always",
      preview: ({ path: file }) => changing([[file, () => ""]]),
      handler
    }),
    reading("read_file", { path: Schema.String, offset: Whole, limit: Whole }),
    reading("list_dir", {}),
    reading("glob", { pattern: Schema.String }),
    reading("grep", { pattern: Schema.String }),
    Tool.make("fetch_url", {
      ...common,
      description: "Fetches a page",
      category: "web",
      touches: ({ body, method, url }) => ({ hosts: [url], complete: method === undefined && body === undefined }),
      idempotent: true,
      parameters: Schema.Struct({ url: Schema.String, method: Text, body: Text, offset: Whole }),
      approval: "always",
      handler
    }),
    Tool.make("git_push", {
      ...common,
      description: "Pushes",
      category: "git",
      mode: "manual",
      parameters: Schema.Struct({
        remote: Schema.String.pipe(Schema.pattern(/^[a-z][\w-]*$/)),
        branch: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w./-]*$/))
      }),
      approval: "always",
      handler
    }),
    simple("git_status", {}, { category: "git", readOnly: true }),
    simple("git_diff", { path: Text, staged: Flag }, { category: "git", readOnly: true }),
    simple("git_commit", { message: Schema.String }, { category: "git", approval: "always" }),
    simple("delegate", { task: Schema.String, worker: Text }, {}),
    simple("remember", { text: Schema.String }, {}),
    simple("recall", { query: Schema.String }, { readOnly: true }),
    simple(
      "send_email",
      { to: Schema.String, subject: Text, body: Text },
      { category: "mail", approval: "always", risk: "high" }
    ),
    simple("deploy", { target: Schema.String, force: Flag }, { approval: "always", risk: "high" })
  ]
}

/** A tool of a server that nobody trusts, whose hints count for nothing. */
export const foreignTool = (machine: Machine, name: string, description: string): Tool.Any =>
  Tool.make(name, {
    success: Schema.String,
    failure: Refused,
    description,
    parameters: Schema.Struct({ note: Text }),
    approval: "always",
    handler: (_, { callId }) => machine.run(callId)
  })

/** One whose server says nothing of its parameters. */
export const openTool = (machine: Machine, name: string): Tool.Any =>
  Tool.make(name, {
    success: Schema.String,
    failure: Refused,
    description: "A tool of a server",
    parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    approval: "always",
    handler: (_, { callId }) => machine.run(callId)
  })
