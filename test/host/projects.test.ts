import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck as fc, Fiber, Stream } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { acceptance, read as readProjectFile } from "../../src/config/ProjectFile.ts"
import { Trust } from "../../src/config/Trust.ts"
import { builtin, Host } from "../../src/host/Host.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import type { SessionHandle } from "../../src/runtime/SessionHandle.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { asking, models, type Wanted } from "./Directed.ts"

/** What a project brings along, and where in it its sessions begin. */
const kind = fc.record({
  trusted: fc.boolean(),
  decision: fc.constantFrom("allow" as const, "deny" as const),
  hook: fc.boolean(),
  below: fc.boolean()
})
type Kind = typeof kind extends fc.Arbitrary<infer K> ? K : never

interface Made extends Kind {
  readonly name: string
  readonly project: string
  readonly directory: string
}

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

const bring = (base: string, name: string, kind: Kind): Made => {
  const project = path.join(base, name)
  const directory = kind.below ? path.join(project, "below") : project
  fs.mkdirSync(path.join(project, ".git"), { recursive: true })
  write(path.join(directory, "name.txt"), `I am ${name}`)
  write(path.join(project, "hook.sh"), `echo the hook of ${name} says no >&2; exit 2\n`)
  write(
    path.join(project, ".tollgate", "config.json"),
    JSON.stringify({
      ...(kind.hook && { hooks: [{ event: "pre", tool: "list_dir", command: ["/bin/sh", "hook.sh"] }] }),
      approvals: {
        rules: [
          {
            id: `of_${name}`,
            decision: kind.decision,
            tool: "write_file",
            path: path.join(path.relative(project, directory), "made-*")
          }
        ]
      }
    })
  )
  return { ...kind, name, project, directory }
}

/** What each call came to: its text, or the tag of its error and what that says. */
const outcomes = (session: SessionHandle, calls: ReadonlyArray<Wanted>) =>
  Effect.gen(function* () {
    const task = yield* session.submit(asking(calls))
    const seen = Chunk.toReadonlyArray(yield* Stream.runCollect(task.events))
    return seen.flatMap(({ event }) =>
      event._tag === "ToolCallCompleted"
        ? [event.message.message.content ?? ""]
        : event._tag === "ToolCallFailed"
          ? [`${event.error._tag}: ${event.error.message}`]
          : []
    )
  })

const hostAt = (base: string, directory: string) =>
  Host.layer({
    directory,
    env: { PATH: "/usr/bin:/bin", HOME: base, TOLLGATE_HOME: path.join(base, "state") },
    models,
    policy: "deny"
  })

/** Has a session do what shows whose it is, and says what of that is not its own. */
const check = (session: SessionHandle, own: Made, other: Made, mark: string) =>
  Effect.gen(function* () {
    const file = `made-${own.name}-${mark}`
    const byShell = `${own.name}-${mark}`
    const [name, stranger, listed, made, intruded, ...shell] = yield* outcomes(session, [
      ["read_file", { path: "name.txt" }],
      ["read_file", { path: path.join(other.directory, "name.txt") }],
      ["list_dir", {}],
      ["write_file", { path: file, content: own.name }],
      ["write_file", { path: path.join(other.directory, file), content: own.name }],
      ["run_shell", { command: `touch ${byShell}` }],
      ["run_shell", { command: `touch ${path.join(other.directory, byShell)}` }]
    ])
    assert.include(name, `I am ${own.name}`)
    assert.match(stranger ?? "", /^ApprovalDenied/)
    if (own.trusted && own.hook)
      assert.match(listed ?? "", new RegExp(`^HookAborted: .*the hook of ${own.name} says no`))
    else assert.include(listed, "name.txt")
    assert.strictEqual(fs.existsSync(path.join(own.directory, file)), own.trusted && own.decision === "allow", made)
    if (own.trusted && own.decision === "deny") assert.include(made, `of_${own.name}`)
    assert.isFalse(fs.existsSync(path.join(other.directory, file)), intruded)
    const host = yield* Host
    const { describe } = yield* Effect.flatMap(host.project(own), ({ sandbox }) => sandbox)
    assert.isTrue(fs.existsSync(path.join(own.directory, byShell)), shell[0])
    assert.strictEqual(fs.existsSync(path.join(other.directory, byShell)), !describe.isolated, shell[1])
    fs.rmSync(path.join(own.directory, byShell))
  })

describe("the project of a place", () => {
  it.scoped("is one for all who wait for it, also where one of them gives up before it is made (R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const begun = yield* Effect.makeLatch(false)
      const ready = yield* Effect.makeLatch(false)
      const seal = (stack: Parameters<typeof builtin>[0]) =>
        begun.open.pipe(Effect.zipRight(ready.await), Effect.zipRight(builtin(stack)))
      const env = { PATH: "/usr/bin:/bin", HOME: base, TOLLGATE_HOME: path.join(base, "state") }
      const layer = Host.layerToolset(seal, { directory: base, env, models, policy: "deny" })
      yield* Effect.gen(function* () {
        const host = yield* Host
        const place = yield* host.locate(base)
        const one = yield* Effect.fork(Effect.scoped(host.project(place)))
        yield* begun.await
        const other = yield* Effect.fork(host.project(place))
        yield* Effect.repeatN(Effect.yieldNow(), 100)
        yield* Fiber.interrupt(one)
        yield* ready.open
        assert.strictEqual(yield* host.project(place), yield* Fiber.join(other))
      }).pipe(Effect.scoped, Effect.provide(layer))
    })
  )
})

describe("two projects in one process", () => {
  it.scoped.prop(
    "have their own roots, rules, hooks, sandbox and tools, at once and in turns, also resumed from elsewhere (R16)",
    [kind, kind, fc.array(fc.constantFrom(0, 1), { minLength: 2, maxLength: 3 })],
    ([one, two, turns]) =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        const projects = [bring(base, "one", one), bring(base, "two", two)] as const
        const of = (index: number) => [projects[index]!, projects[1 - index]!] as const
        const elsewhere = path.join(base, "elsewhere")
        fs.mkdirSync(elsewhere)
        const rule = { id: "mine", decision: "allow", level: "user", tool: "run_shell", argv: ["touch"] }
        write(path.join(base, "state", "config.json"), JSON.stringify({ approvals: { rules: [rule] } }))

        yield* Effect.gen(function* () {
          const trust = yield* Trust
          for (const { project, trusted } of projects) {
            const file = yield* Effect.flatten(readProjectFile(project))
            if (trusted) yield* trust.accept(project, acceptance(file))
          }
          const runtime = yield* Runtime
          const open = ([{ directory, name }]: readonly [Made, Made]) =>
            runtime.session({ id: name, create: { project: directory } })
          const sessions = [yield* open(of(0)), yield* open(of(1))] as const
          yield* Effect.forEach([0, 1], (index) => check(sessions[index]!, ...of(index), "at-once"), {
            concurrency: "unbounded",
            discard: true
          })
          yield* Effect.forEach(turns, (index, turn) => check(sessions[index]!, ...of(index), `turn-${turn}`))
        }).pipe(Effect.scoped, Effect.provide(hostAt(base, projects[0].directory)))

        yield* Effect.gen(function* () {
          const runtime = yield* Runtime
          for (const index of [0, 1]) {
            const session = yield* runtime.session({ id: of(index)[0].name, resume: true })
            yield* check(session, ...of(index), "resumed")
          }
          assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
        }).pipe(Effect.scoped, Effect.provide(hostAt(base, elsewhere)))
      }),
    { fastCheck: { numRuns: 2 } }
  )
})

const plain = { trusted: true, decision: "allow", hook: false, below: false } as const

describe("the project of an open session", () => {
  it.scoped("is the directory that was there, whatever takes its place before a tool is called (R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const [one, two] = [bring(base, "one", plain), bring(base, "two", plain)]
      yield* Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ create: { project: one.directory } })
        fs.renameSync(one.directory, path.join(base, "moved"))
        fs.symlinkSync(two.directory, one.directory)
        const said = yield* outcomes(session, [
          ["read_file", { path: "name.txt" }],
          ["write_file", { path: "made-here", content: "x" }],
          ["run_shell", { command: "cat name.txt" }]
        ])
        assert.notInclude(said.join(), "I am two")
        assert.isFalse(fs.existsSync(path.join(two.directory, "made-here")))
      }).pipe(Effect.scoped, Effect.provide(hostAt(base, one.directory)))
    })
  )

  it.scoped("loses what its file allows with the next task once the file changes (T8, R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const one = bring(base, "one", plain)
      yield* Effect.gen(function* () {
        const trust = yield* Trust
        yield* trust.accept(one.project, acceptance(yield* Effect.flatten(readProjectFile(one.project))))
        const session = yield* (yield* Runtime).session({ create: { project: one.directory } })
        const made = (name: string) => outcomes(session, [["write_file", { path: name, content: "x" }]])
        yield* made("made-before")
        fs.appendFileSync(path.join(one.project, ".tollgate", "config.json"), "\n")
        yield* made("made-after")
        assert.isTrue(fs.existsSync(path.join(one.directory, "made-before")))
        assert.isFalse(fs.existsSync(path.join(one.directory, "made-after")))
      }).pipe(Effect.scoped, Effect.provide(hostAt(base, one.directory)))
    })
  )

  it.scoped("is refused where it would be every user's home, before any model is asked (S2, R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const error = yield* Effect.flatMap(Runtime, (runtime) =>
        Effect.flip(runtime.session({ create: { project: "/" } }))
      ).pipe(Effect.scoped, Effect.provide(hostAt(base, "/")))
      assert.include(error.message, "is not a valid root")
    })
  )

  it.scoped("is bound by a rule whose path leads into it by a link (T20)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const one = bring(base, "one", plain)
      write(path.join(one.directory, "keys", "a"), "TOPSECRET")
      fs.symlinkSync("keys", path.join(one.directory, "alias"))
      fs.symlinkSync(path.join("keys", "a"), path.join(one.directory, "pass"))
      fs.symlinkSync(one.directory, path.join(base, "link"))
      for (const rule of [
        path.join(base, "link", "keys", "**"),
        path.join(one.directory, "alias", "**"),
        path.join(one.directory, "pass")
      ]) {
        const rules = [{ id: "no", decision: "deny", level: "user", tool: "*", path: rule }]
        write(path.join(base, "state", "config.json"), JSON.stringify({ approvals: { rules } }))
        yield* Effect.gen(function* () {
          for (const directory of [one.directory, path.join(base, "link")]) {
            const session = yield* (yield* Runtime).session({ create: { project: directory } })
            const said = yield* outcomes(session, [
              ["read_file", { path: "keys/a" }],
              ["read_file", { path: "alias/a" }],
              ["read_file", { path: "pass" }],
              ["grep", { pattern: "TOP" }],
              ["run_shell", { command: "cat keys/a" }]
            ])
            assert.notInclude(said.join(), "TOPSECRET", rule)
          }
        }).pipe(Effect.scoped, Effect.provide(hostAt(base, one.directory)))
      }
    })
  )
})

describe("the rules of a project", () => {
  it.scoped("take what git ignores in it for something that can be made again (A16)", () =>
    Effect.gen(function* () {
      const base = fs.realpathSync(yield* temporaryDirectory)
      const own = bring(base, "one", plain)
      fs.rmSync(path.join(own.project, ".git"), { recursive: true })
      write(path.join(own.project, ".gitignore"), "out/\n")
      write(path.join(own.project, "out", "a"), "a\n")
      write(path.join(own.project, "src", "a"), "a\n")
      for (const args of [
        ["init", "-q"],
        ["add", ".gitignore", "src"]
      ])
        execFileSync("git", args, { cwd: own.project, stdio: "ignore" })
      const levels = yield* Effect.gen(function* () {
        const host = yield* Host
        const { rules, tools } = yield* host.project(yield* host.locate(own.project))
        const tool = tools.tools.get("run_shell")
        assert.isDefined(rules)
        assert.isDefined(tool)
        return ["rm -rf out", "rm -rf src"].map((command) => {
          const params = { command }
          return rules.subjects.of({ name: tool.name, tool, params, rawParams: params }).severity()?.level
        })
      }).pipe(Effect.scoped, Effect.provide(hostAt(base, own.project)))
      assert.deepStrictEqual(levels, ["ordinary", "destructive"])
    })
  )
})

describe("programs of the user that serve all projects", () => {
  it.scoped("are found in the project of no session: reviewer, routing hook, budget hook (A11, R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const own = bring(base, "one", { trusted: false, decision: "allow", hook: false, below: true })
      const elsewhere = path.join(base, "elsewhere")
      fs.mkdirSync(elsewhere)
      const program = (name: string) => {
        write(path.join(base, `${name}.sh`), `echo "$PATH" > ${base}/${name}\n`)
        return ["/bin/sh", path.join(base, `${name}.sh`)]
      }
      const usage = { inputTokens: 200_000, outputTokens: 1 }
      const turns = [
        { steps: [{ call: { name: "write_file", arguments: { path: "made", content: "x" } } }, { usage }] },
        { repeat: true, steps: [{ say: "Done." }, { usage }] }
      ]
      write(path.join(base, "script.json"), JSON.stringify({ turns }))
      const test = {
        provider: "scripted",
        script: path.join(base, "script.json"),
        price: { input: 3, output: 15 }
      }
      const configuration = {
        profile: "test",
        profiles: { test },
        approvals: { reviewer: { command: program("reviewer") } },
        routing: { hooks: [{ command: program("routing") }] },
        budgets: { session: 1, hook: program("budget") }
      }
      write(path.join(base, "state", "config.json"), JSON.stringify(configuration))
      const bins = [own.directory, own.project, elsewhere, base].map((place) => path.join(place, "bin"))
      const env = {
        PATH: [...bins, "/usr/bin", "/bin"].join(":"),
        HOME: base,
        TOLLGATE_HOME: path.join(base, "state")
      }
      yield* Effect.gen(function* () {
        const session = yield* (yield* Runtime).session({ create: { project: own.directory } })
        yield* Effect.flip(session.prompt("write"))
      }).pipe(Effect.scoped, Effect.provide(Host.layer({ directory: elsewhere, env, policy: "ask" })))
      for (const name of ["reviewer", "routing", "budget"]) {
        const seen = fs.readFileSync(path.join(base, name), "utf8").trim().split(":")
        assert.deepStrictEqual(seen, [path.join(base, "bin"), "/usr/bin", "/bin"], name)
      }
    })
  )
})
