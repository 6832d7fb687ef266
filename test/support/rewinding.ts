import { assert } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Checkpoints from "../../src/checkpoint/Checkpoints.ts"
import type { FileStep, RestoredFile } from "../../src/checkpoint/FileStep.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { ApplyPatch } from "../../src/tools/ApplyPatch.ts"
import { EditFile } from "../../src/tools/EditFile.ts"
import { make } from "../../src/tools/files/rewinding.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import { WriteFile } from "../../src/tools/WriteFile.ts"

const names = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "g/h.txt"] as const
const name = fc.constantFrom(...names)
const text = fc.constantFrom("", "one\n", "one\ntwo\n", "two\nthree", "ü\r\nx\r\n", "\ufeffmarked\n")

/** One thing that is done to the files of a workspace: by a tool, or by somebody else. */
export const Doing = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), name, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit" as const), name, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("patch" as const), name, other: name, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), name, other: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("somebody else" as const), name, text }) }
)
type Given<A> = A extends fc.Arbitrary<infer B> ? B : never
type ByTool = Exclude<Given<typeof Doing>, { readonly kind: "somebody else" }>

/** Some doings, and before which of them the files are to be again. */
export const Doings = fc.record({
  doings: fc.array(Doing, { minLength: 1, maxLength: 10 }),
  back: fc.nat({ max: 9 }),
  modes: fc.boolean()
})

/** Every file with its content and permissions, and every directory. */
const tree = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(root, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((one) => {
        const file = path.join(root, one)
        const { mode } = fs.statSync(file)
        return [one, fs.statSync(file).isDirectory() ? "/" : `${mode & 0o777} ${fs.readFileSync(file, "base64")}`]
      })
  )

const contents = (root: string, one: string): string | undefined =>
  fs.existsSync(path.join(root, one)) ? fs.readFileSync(path.join(root, one), "utf8") : undefined

/** What a doing asks of which tool. */
const asked = (doing: ByTool, root: string) => {
  const patch = (...lines: ReadonlyArray<string>) => ({
    tool: "apply_patch",
    parameters: { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
  })
  const before = contents(root, doing.name)
  const first = before?.split(/\r?\n/)[0] ?? ""
  switch (doing.kind) {
    case "write":
      return { tool: "write_file", parameters: { path: doing.name, content: doing.text } }
    case "edit":
      return { tool: "edit_file", parameters: { path: doing.name, old_text: before ?? "x", new_text: doing.text } }
    case "patch":
      return doing.other === doing.name || contents(root, doing.other) !== undefined
        ? patch(`*** Update File: ${doing.name}`, "@@", `-${first}`, `+${first}!`)
        : patch(
            `*** Update File: ${doing.name}`,
            "@@",
            `-${first}`,
            `+${first}?`,
            `*** Add File: ${doing.other}`,
            "+added"
          )
    case "delete":
      return patch(`*** Delete File: ${doing.name}`)
    case "rename":
      return patch(`*** Update File: ${doing.name}`, `*** Move to: ${doing.other}`, "@@", ` ${first}`)
  }
}

/**
 * Does random things to the files of a directory by the tools, and now and then as somebody else; then goes back, and checks that
 * each file is byte for byte what it was, or was changed by somebody else, is named and is what they left.
 */
export const round = (directory: string, { back, doings, modes }: Given<typeof Doings>) =>
  Effect.gen(function* () {
    const root = path.join(directory, crypto.randomBytes(6).toString("hex"))
    const home = path.join(directory, "home")
    fs.mkdirSync(path.join(root, "g"), { recursive: true })
    fs.mkdirSync(home, { recursive: true })
    fs.writeFileSync(path.join(root, "a.txt"), "first\nsecond\n")
    fs.writeFileSync(path.join(root, "g/h.txt"), "bin\u0000ary")
    if (modes) fs.chmodSync(path.join(root, "a.txt"), 0o755)
    const store = Checkpoints.make({ directory: path.join(directory, "kept") })
    const session = path.basename(root)
    const layer = Workspace.layer({ root, home, trusted: false })
    const services = Layer.mergeAll(layer, Layer.succeed(Checkpoints.Checkpoints, store))
    const toolset = yield* Toolset.make([WriteFile, EditFile, ApplyPatch], {
      gate: Gate.unguarded("it is about files"),
      middleware: DefaultStack.make({})
    })
    const steps: Array<FileStep> = []
    const others = new Set<string>()
    let from = 0
    let then = tree(root)
    for (const [index, doing] of doings.entries()) {
      if (index === back % doings.length) {
        from = steps.length
        then = tree(root)
        others.clear()
      }
      if (doing.kind === "somebody else") {
        fs.mkdirSync(path.dirname(path.join(root, doing.name)), { recursive: true })
        fs.writeFileSync(path.join(root, doing.name), `somebody else ${index} ${doing.text}`)
        others.add(doing.name)
        continue
      }
      const { parameters, tool } = asked(doing, root)
      yield* Effect.ignore(
        Effect.provide(
          toolset.call({
            name: tool,
            rawParams: parameters,
            callId: `c${index}`,
            sessionId: session,
            workerPath: ["root"],
            startedAt: 0,
            by: "model",
            sink: {
              emit: () => Effect.void,
              commit: (event) =>
                Effect.sync(() => void (event._tag === "CheckpointSaved" && steps.push(...event.files)))
            }
          }),
          services
        )
      )
    }
    const left = tree(root)
    const rewinding = make(yield* Effect.provide(Workspace, layer), store)
    const all: ReadonlyArray<FileStep | RestoredFile> = steps.slice(from)
    const plan = yield* rewinding.plan(session, all)
    assert.deepStrictEqual(tree(root), left, "a plan changes nothing")
    const done = yield* rewinding.restore(session, all, plan.digest)
    assert.deepStrictEqual(done.left, plan.left)
    const now = tree(root)
    const named = new Set(done.left.map(({ path }) => path))
    for (const one of named) {
      assert.isTrue(others.has(one), `${one} was changed by nobody else`)
      assert.strictEqual(now[one], left[one], `${one} was left alone`)
    }
    for (const one of new Set([...Object.keys(now), ...Object.keys(then)])) {
      const isOthers = others.has(one) || [...others].some((file) => file.startsWith(`${one}/`))
      if (!named.has(one) && !isOthers) assert.strictEqual(now[one], then[one], one)
    }
    fs.rmSync(root, { recursive: true, force: true })
    return { restored: done.restored.length, left: done.left.length }
  })
