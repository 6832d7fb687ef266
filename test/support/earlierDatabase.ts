import { additions } from "../../src/database/additions.ts"
import { applicationId } from "../../src/database/identity.ts"
import { migrations } from "../../src/database/migrations.ts"

/** A version of the schema: how many migrations and additions a file has behind it. */
export interface SchemaVersion {
  readonly version: number
  readonly added: number
}

/** Every version that a file can have, the present one last. */
export const versions: ReadonlyArray<SchemaVersion> = [
  ...migrations.map((_, index) => ({ version: index + 1, added: 0 })),
  ...additions.map((_, index) => ({ version: migrations.length, added: index + 1 }))
]

export const nameOf = ({ added, version }: SchemaVersion): string => `v${version}.${added}.sql`

const quote = (value: string | number | null): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)

const message = (id: string, role: string, content: string | null, more: object = {}) => ({
  message: { id, message: { role, content, ...more } }
})

/** A task that has ended, with a call and an event of a later version; and one whose runtime died during a call. */
const events: ReadonlyArray<readonly [string, string | null, object]> = [
  ["SessionCreated", null, { project: "/there", profile: "scripted" }],
  ["TaskQueued", "t1", { prompt: "where is the lighthouse", ahead: 0 }],
  ["TaskStarted", "t1", message("m1", "user", "where is the lighthouse")],
  [
    "ModelAnswered",
    "t1",
    {
      ...message("m2", "assistant", null, {
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }]
      }),
      finish: "tool_calls",
      usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
      durationMillis: 1
    }
  ],
  ["ToolCallRequested", "t1", { callId: "c1", tool: "look", arguments: "{}" }],
  ["ToolCallStarted", "t1", { callId: "c1", tool: "look", readOnly: false }]
]
const ending: typeof events = [
  [
    "ToolCallCompleted",
    "t1",
    {
      callId: "c1",
      tool: "look",
      durationMillis: 1,
      message: { id: "r1", message: { role: "tool", tool_call_id: "c1", content: "on the cliff" } }
    }
  ],
  ["FutureThing", "t1", { something: ["new", 1] }],
  [
    "TaskCompleted",
    "t1",
    {
      text: "On the cliff.",
      usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
      iterations: 1,
      durationMillis: 5
    }
  ]
]

const open = {
  visibleFrom: 1,
  tasks: ["t1"],
  calls: [
    { task: "t1", iteration: 1, worker: ["root"], callId: "c1", tool: "look", mayHaveHappened: true, byUser: false }
  ],
  requests: []
}

const sessionOf = (id: string, told: typeof events, version: number, isOpen: boolean): ReadonlyArray<string> => [
  `INSERT INTO sessions (id, project, profile, title, created_at, updated_at, status, epoch, head) VALUES (${[
    quote(id),
    "'/there'",
    "'scripted'",
    "'where is the lighthouse'",
    1000,
    2000,
    "'open'",
    1,
    told.length
  ].join(", ")})`,
  ...told.map(
    ([tag, task, event], index) =>
      `INSERT INTO events (session_id, seq, epoch, time, tag, task_id, iteration, worker, event) VALUES (${[
        id,
        index + 1,
        1,
        1000 + index,
        tag,
        task,
        task === null ? null : 1,
        tag.startsWith("Task") || task === null ? null : "root",
        JSON.stringify({ _tag: tag, ...event })
      ]
        .map(quote)
        .join(", ")})`
  ),
  ...(isOpen && version >= 6
    ? [`UPDATE sessions SET open = ${quote(JSON.stringify(open))} WHERE id = ${quote(id)}`]
    : [])
]

/** The statements that make a database as a program of that version left it. */
export const sqlOf = ({ added, version }: SchemaVersion): string =>
  [
    ...migrations.slice(0, version).flat(),
    ...additions.slice(0, added).flat(),
    ...(added === 0 ? [] : [`UPDATE store SET name = 'fixture', additions = ${added}`]),
    ...sessionOf("ended", [...events, ...ending], version, false),
    ...sessionOf("crashed", events, version, true),
    ...(version < 4
      ? []
      : [
          "INSERT INTO memories (scope, session_id, project, text, created_at) VALUES ('project', 'ended', '/there', 'the lamp is red', 1)"
        ]),
    `PRAGMA user_version = ${version}`,
    ...(version < 6 ? [] : [`PRAGMA application_id = ${applicationId}`])
  ]
    .map((statement) => `${statement};\n`)
    .join("")
