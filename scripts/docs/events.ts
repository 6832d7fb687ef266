import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { AgentEvent } from "../../src/agent/AgentEvent.ts"
import { Envelope, schemaVersion } from "../../src/runtime/Envelope.ts"
import { CostEvent } from "../../src/cost/CostEvent.ts"
import { transientTags } from "../../src/runtime/Event.ts"
import { RuntimeEvent } from "../../src/runtime/RuntimeEvent.ts"
import { ToolEvent } from "../../src/tool/ToolEvent.ts"

interface Family {
  readonly title: string
  readonly file: string
  readonly members: ReadonlyArray<Schema.Schema.AnyNoContext & { readonly _tag: string }>
}

const paid: ReadonlySet<string> = new Set(CostEvent.members.map(({ _tag }) => _tag))

const families: ReadonlyArray<Family> = [
  { title: "Runtime, sessions and tasks", file: "src/runtime/RuntimeEvent.ts", members: RuntimeEvent.members },
  {
    title: "Workers: models and calls",
    file: "src/agent/AgentEvent.ts",
    members: AgentEvent.members.filter((one) => !paid.has(one._tag))
  },
  { title: "Cost", file: "src/cost/CostEvent.ts", members: CostEvent.members },
  { title: "Inside a call: the gate and the tool", file: "src/tool/ToolEvent.ts", members: ToolEvent.members }
]

interface Shape {
  readonly type?: string | ReadonlyArray<string>
  readonly $ref?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Shape>
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly $id?: string
}

/** A JSON Schema as a reader of TypeScript would say it. */
const say = (shape: Shape): string => {
  if (shape.$ref !== undefined) return shape.$ref.split("/").at(-1) ?? "unknown"
  if (shape.enum !== undefined) return shape.enum.map((value) => JSON.stringify(value)).join(" \\| ")
  if (shape.anyOf !== undefined) return shape.anyOf.map(say).join(" \\| ")
  if (shape.type === "array") return `array of ${say(shape.items ?? {})}`
  if (shape.type === "object" && shape.properties !== undefined) {
    const required = new Set(shape.required)
    const fields = Object.entries(shape.properties).map(
      ([name, field]) => `${name}${required.has(name) ? "" : "?"}: ${say(field)}`
    )
    return `{ ${fields.join(", ")} }`
  }
  return typeof shape.type === "string" ? shape.type : shape.$id === "/schemas/unknown" ? "any JSON" : "unknown"
}

/** The doc-block in front of a class, on one line. */
const described = (source: string, tag: string): string => {
  const [, text = ""] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export class ${tag} `).exec(source) ?? []
  return text.replaceAll(/\s*\n\s*\* ?/g, " ").trim()
}

const fieldsOf = (schema: Schema.Schema.AnyNoContext): ReadonlyArray<string> => {
  const root = JSONSchema.make(schema) as Shape & { readonly $defs?: Readonly<Record<string, Shape>> }
  const own = root.$ref === undefined ? root : (root.$defs?.[root.$ref.split("/").at(-1) ?? ""] ?? root)
  const required = new Set(own.required)
  return Object.entries(own.properties ?? {})
    .filter(([name]) => name !== "_tag")
    .map(([name, shape]) => {
      return `| \`${name}\`${required.has(name) ? "" : " (optional)"} | ${say(shape)} |`
    })
}

const transient: ReadonlySet<string> = new Set(transientTags)

const event = (source: string, schema: Family["members"][number]): string => {
  const text = described(source, schema._tag)
  const fields = fieldsOf(schema)
  return [
    `### \`${schema._tag}\`${transient.has(schema._tag) ? " (transient)" : ""}`,
    ...(text === "" ? [] : ["", text]),
    ...(fields.length === 0 ? [] : ["", "| field | type |", "| --- | --- |", ...fields])
  ].join("\n")
}

const introduction = `# Events

Version ${schemaVersion}. This page and [events.schema.json](events.schema.json) are generated from the code by
\`npm run docs\`; the test suite fails when they are not current.

Every event travels in an envelope, one line of JSON each where a log is written as JSONL:

| field | type | meaning |
| --- | --- | --- |
| \`version\` | ${schemaVersion} | of the envelope and of every event in it |
| \`seq\` | number | numbers the durable events of a session from 1 without a gap; a transient event carries the number of the durable event that it follows |
| \`time\` | number | epoch milliseconds |
| \`session\` | string | the session; \`runtime\` for what belongs to none |
| \`task\` (optional) | string | the task, by the id that its client gave it |
| \`iteration\` (optional) | number | the iteration of the agent loop, from 1 |
| \`worker\` (optional) | array of string | from the root worker to the one that it concerns |
| \`transient\` (optional) | true | present on events that are not stored |
| \`event\` | object | one of the events below, told apart by \`_tag\` |

**Durable** events are stored before anyone sees them and are never changed. **Transient** events are pieces of something
that a durable event sums up: they coalesce, may be skipped, and a subscriber that comes late gets what was said so far in
one piece. The \`offset\` of \`TextDelta\`, \`ReasoningDelta\` and \`ArgumentsDelta\` counts the characters before the piece, so a gap
shows; \`ToolOutput\` and \`ToolProgressed\` have none, so what is missing of them does not show.

## What may change

Within one version, events and optional fields may be added, and a literal may gain values. A reader keeps what it does
not know, shows it by its tag and passes it on. A field is never removed, renamed or given another meaning, and an optional one never becomes required, without
a new version; a reader refuses an envelope of a later version. Logs of earlier versions stay readable.

## What holds

A call is known by its place: task, worker, iteration and id; a model may use an id again elsewhere.

- A session begins with \`SessionCreated\`, once. After \`SessionSuspended\` or \`SessionEnded\` comes \`SessionResumed\`, with a
  higher epoch, or nothing. No task is open then but one: the task that \`waits\` of \`SessionSuspended\` names, with every
  request of it that nobody has answered. It has no terminal event yet and none of its requests is withdrawn.
- After \`SessionRewound\` the events from \`to\` up to it no longer count: the model does not see their messages, and no later rewind
  leads between them. The log keeps them.
- A fork has the events of its \`origin\` up to \`last\`, without the ids of the commands that they answered, then \`SessionForked\`, then
  the ends of what was open in them. No request of it waits, and nothing is granted in it.
- Each command that has a \`commandId\` is answered by exactly one event that repeats it, however often it is sent: what it led
  to, \`CommandPerformed\` or \`CommandRejected\`.
- Each \`TaskQueued\` is followed by exactly one of \`TaskCompleted\`, \`TaskFailed\`, \`TaskInterrupted\`, and nothing of the
  task comes after it. For a task that waits it comes from a later owner: who waits for it learns from the end of the stream
  that the session was closed. Tasks run one after the other: \`TaskStarted\` comes once, after the end of the task before, and
  before any event of a worker of the task. \`TaskCompleted\` needs it; a task that the user interrupts has
  \`TaskCancelling\`.
- A task that its owner left open, by dying or by \`waits\`, is closed by the next one: after \`SessionResumed\` it has only withdrawn approvals,
  \`ToolCallInterrupted\`, \`ToolCallOutcomeUnknown\`, \`WorkerInterrupted\` and \`TaskFailed\` of the kind \`crash\`, unless
  \`goesOn\` names it: then it waits again, for the same requests. A task with \`TaskCancelling\` does not go on.
- An iteration is \`ModelRequested\`, failed attempts numbered from 1, \`ModelAnswered\`, the results of its calls and
  \`IterationEnded\`; the next one has the next number. A worker completes after the end of an iteration whose answer asks for
  no call.
- \`SessionCompacted\` comes between iterations, or within one whose request was refused as too long, which is then made again
  under the same number. Unless it is \`edited\`, a worker whose path is \`compaction\` and that of the worker has been answered before it.
- An attempt of an iteration is charged at most once by \`ModelCharged\`: one that failed behind its \`ModelAttemptFailed\`, or
  as the last of its worker; one that was answered before its \`ModelAnswered\`; one that was interrupted behind its
  \`ModelInterrupted\`. A model that is free is not charged.
- Each call in a \`ModelAnswered\` is followed by exactly one of \`ToolCallCompleted\`, \`ToolCallFailed\`,
  \`ToolCallInterrupted\`, \`ToolCallOutcomeUnknown\`, whose message answers it. \`ToolCallRequested\` comes once and before
  everything else of the call; without it a call can only be interrupted. \`ToolCallCompleted\` has either
  \`ToolCallStarted\` before it or \`answered\`; an unknown outcome needs the start of a call that is not read-only, by an owner who died.
- \`ToolCallStarted\` comes once, with the \`parameters\` that run where those are not what was asked for; only a read-only call may be started again by the next owner. \`ToolCallRetried\` numbers the
  attempts of a call from 2.
- Calls of one answer are requested in the model's order. A read-only call is requested when those before it have ended or
  are read-only and started; any other when all before it have ended, and none behind it before it has.
- Each \`ApprovalRequested\` is followed by exactly one \`ApprovalResolved\` of its call, before its \`ToolCallStarted\` and its
  result, and one request of a call is open at a time. A call does not start after a refusal. Directly behind each of the
  two stands the \`MessageRecorded\` by which it enters the conversation.
- Each \`WorkerStarted\` belongs to a running call of the worker above and is followed by exactly one of \`WorkerCompleted\`,
  \`WorkerFailed\`, \`WorkerInterrupted\`: after the results of its own calls and before that of the call that started it.
  Nothing else of the worker comes before or after, and no path is used twice in a task.
- A message is told once, by its id.
`

/** The shapes that events share, each under its name. */
const shapes = (): string => {
  const { $defs = {} } = JSONSchema.make(Envelope) as { readonly $defs?: Readonly<Record<string, Shape>> }
  const tags = new Set(families.flatMap(({ members }) => members.map(({ _tag }) => _tag)))
  return Object.entries($defs)
    .filter(([name]) => !tags.has(name))
    .map(([name, shape]) => `### ${name}\n\n\`\`\`ts\n${say(shape).replaceAll("\\|", "|")}\n\`\`\``)
    .join("\n\n")
}

/** docs/events.md */
export const markdown = (root: string): string =>
  [
    introduction,
    ...families.flatMap(({ file, members, title }) => {
      const source = fs.readFileSync(path.join(root, file), "utf8")
      return [`## ${title}`, ...members.map((member) => event(source, member))]
    }),
    "## Shapes",
    shapes()
  ].join("\n\n") + "\n"

/** docs/events.schema.json */
export const schema = (): string => `${JSON.stringify(JSONSchema.make(Envelope), null, 2)}\n`
