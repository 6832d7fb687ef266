import { Effect, Layer } from "effect"
import * as path from "node:path"
import { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type * as Tool from "../../src/tool/Tool.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { world } from "../tools/support.ts"
import { protectedPlaces } from "./protectedPlaces.ts"

type Way = readonly [tool: (typeof Builtin.tools)[number]["name"], params: Readonly<Record<string, unknown>>]
/** Ways that differ in nothing but how they are written. */
type Ways = ReadonlyArray<Way>

const shell = (command: string, cwd?: string): Way => ["run_shell", cwd === undefined ? { command } : { command, cwd }]

const patch = (...lines: ReadonlyArray<string>): Way => [
  "apply_patch",
  { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
]

/** Every way in which a call can read a place or what is below it. */
const seeing = (place: string, root: string): ReadonlyArray<Ways> => {
  const relative = path.relative(root, place)
  const directory = path.dirname(place)
  const name = path.basename(place)
  return [
    [relative, place, `./x/../${relative}`].map((named) => ["read_file", { path: named }] as const),
    [["grep", { pattern: ".", path: relative }]],
    [["list_dir", { path: place }]],
    [
      ["glob", { pattern: `${relative}/*` }],
      ["glob", { pattern: "**/*", path: place }]
    ],
    [
      shell(`cat '${place}'`),
      shell(`cat < "${relative}"`),
      shell(`head -n 1 ./"${relative}" | wc -l`),
      shell(`cd '${directory}' && cat '${name}'`),
      shell(`grep -r . '${relative}'`),
      shell(`grep -f '${relative}' plain`),
      shell(`find '${place}' -type f`),
      shell(`for f in '${place}'; do cat "$f"; done`),
      shell(`cat '${name}'`, directory),
      shell(`git show 'HEAD:${relative}'`),
      shell(`git diff --no-index /dev/null '${place}'`)
    ]
  ]
}

/** Every way in which a call can make, change, move or remove a place. */
const changing = (place: string, root: string): ReadonlyArray<Ways> => {
  const relative = path.relative(root, place)
  return [
    [place, relative, `${relative}/inner`].map((named) => ["write_file", { path: named, content: "x" }] as const),
    [["edit_file", { path: relative, old_text: "before", new_text: "x" }]],
    [
      patch(`*** Add File: ${relative}/new`, "+x"),
      patch(`*** Delete File: ${relative}`),
      patch(`*** Update File: ${relative}`, "@@", "-before", "+x"),
      patch(`*** Update File: ${relative}`, "*** Move to: moved", "@@", "-before", "+x"),
      patch("*** Update File: plain", `*** Move to: ${relative}`, "@@", "-before", "+x"),
      ["apply_patch", { patch: `--- a/${relative}\n+++ b/${relative}\n@@ -1 +1 @@\n-before\n+x\n` }],
      ["apply_patch", { patch: `--- /dev/null\n+++ b/${relative}\n@@ -0,0 +1 @@\n+x\n` }]
    ],
    [["git_commit", { message: "x", paths: [relative] }]],
    [
      shell(`echo x > '${place}'`),
      shell(`echo x >> ./"${relative}"`),
      shell(`rm -f '${relative}'`),
      shell(`cp plain '${place}'`),
      shell(`tee '${place}' < plain`),
      shell(`sed -i s/a/b/ '${relative}'`),
      shell(`ln -s plain '${place}'`),
      shell(`git checkout -- '${relative}'`)
    ]
  ]
}

/** What their own handler judges again where it runs, so that the blanket `allow` may let it begin. */
const judgedLater: ReadonlySet<string> = new Set(["run_shell", "git_commit"])

/** Where `written` begins, another place of the tables may already be a file. */
const attempt = (write: () => void): void => {
  try {
    write()
  } catch {
    // It stays missing, which is a place as well.
  }
}

export interface Reached {
  readonly calls: number
  /** Those that ran although they had to ask or to be refused. */
  readonly wrong: ReadonlyArray<string>
  /** The tools that ran for some place. */
  readonly ran: ReadonlySet<string>
}

/**
 * Lets every built-in tool that takes a path reach for every protected place in one mode, through the gate as it is; a tool
 * that gets through only notes it. Of ways that differ in writing alone `all` takes each one; otherwise each mode has one by turns, of every
 * third kind at each place, so that places, modes and kinds meet by two.
 */
export const reachFor = (mode: ApprovalPolicy, all: boolean) =>
  Effect.gen(function* () {
    const here = yield* world
    const { base, home, root } = here
    const stateDirs = [`${base}/state`, `${root}/.own`] as const
    const turn = ApprovalPolicy.literals.indexOf(mode)
    const places = protectedPlaces({ base, home, root, stateDirs }, turn % 2 === 0 ? "" : "/deep/er")
    here.write("plain", "before")
    for (const { path: place } of places) {
      if (place.startsWith(base)) attempt(() => here.write(place, "before"))
    }
    const services = yield* Layer.build(
      Layer.mergeAll(
        Approvals.layer({ policy: mode, attended: false, root, home }),
        Memory.layerMemory(),
        Sandbox.layerNone,
        Builtin.layerUnsandboxed({
          environment: here.environment,
          workspace: { root, home, stateDirs, trusted: false }
        })
      )
    )
    let through = false
    const inert = <T extends Tool.Any>(tool: T): T => ({
      ...tool,
      handler: () => Effect.sync(() => (through = true))
    })
    const toolset = yield* Toolset.make(
      Builtin.tools.map((tool: (typeof Builtin.tools)[number]) => inert(tool)),
      { middleware: DefaultStack.make({}) }
    )
    let calls = 0
    const ran = new Set<string>()
    const wrong: Array<string> = []
    for (const [index, place] of places.entries()) {
      const groups = [
        ...(place.readable ? [] : seeing(place.path, root).map((ways) => ({ ways, never: place.neverRead }))),
        ...changing(place.path, root).map((ways) => ({ ways, never: place.neverChanged }))
      ]
      for (const [kind, { never, ways }] of groups.entries()) {
        if (!all && (index + kind + turn) % 3 !== 0) continue
        for (const [name, rawParams] of all ? ways : [ways[(index + turn) % ways.length]!]) {
          calls++
          through = false
          const request = { name, rawParams, callId: "c", sessionId: "s", workerPath: ["root"], startedAt: 0 }
          yield* Effect.exit(Effect.provide(toolset.call({ ...request, sink: silent, by: "model" }), services))
          if (!through) continue
          ran.add(name)
          if (mode !== "allow" || (never && !judgedLater.has(name))) wrong.push(`${name} ${JSON.stringify(rawParams)}`)
        }
      }
    }
    return { calls, wrong, ran } satisfies Reached
  })
