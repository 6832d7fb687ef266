import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import plainFs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { touchesOf } from "../../src/tool/Touches.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { isWithin } from "../../src/policy/path/PathText.ts"
import { calledBy, type World, world } from "./support.ts"

/** A tool of a server, which reads and changes what its parameters say without a word of what else there is. */
const foreign = (name: string, touches?: DynamicTool.Options<never>["touches"]) =>
  DynamicTool.make(name, {
    description: name,
    jsonSchema: { type: "object", properties: { target: { type: "string" } }, required: ["target"] },
    approval: "never",
    ...(touches !== undefined && { touches }),
    handler: (params) =>
      Effect.sync(() => {
        const { target } = params as { readonly target: string }
        const found = fs.statSync(target, { throwIfNoEntry: false })
        if (found === undefined) return "nothing"
        const files = found.isFile()
          ? [target]
          : fs
              .readdirSync(target, { recursive: true, encoding: "utf8" })
              .filter((name) => name.endsWith(".txt"))
              .map((name) => path.join(target, name))
        return files.map((file) => fs.readFileSync(file, "utf8")).join("\n")
      })
  })

const unknown = foreign("unknown")
const below = foreign("below", { paths: [{ parameter: "target", op: "read", below: true }], complete: true })
const tools = [...Builtin.tools, unknown, below] as const
type Name = (typeof Builtin.tools)[number]["name"] | "unknown" | "below"
type Call = readonly [name: Name, params: Readonly<Record<string, unknown>>]

const files = ["a.txt", "d/b.txt", "d/e/c.txt", "f/g.txt"]
const folders = [".", "d", "d/e", "f"]
const mark = (file: string): string => `mark of ${file}`

const filled = Effect.tap(world, (here) =>
  Effect.sync(() => {
    here.git("init", "-q")
    for (const file of files) here.write(file, "committed\n")
    here.git("add", ".")
    here.git("commit", "-qm", "first")
    fs.symlinkSync("d/e", path.join(here.root, "short"))
  })
)

const restored = (here: World) => {
  here.git("reset", "-q")
  for (const file of files) here.write(file, `${mark(file)}\n`)
  for (const made of ["out", "made.txt", "moved.txt", "link"]) fs.rmSync(path.join(here.root, made), { force: true })
}

const envelope = (...lines: ReadonlyArray<string>): Call => [
  "apply_patch",
  { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
]

/** Every way in which a tool reaches a file or a directory, each as the model could write it. */
const waysTo = (file: string, folder: string, root: string): ReadonlyArray<Call> => {
  const name = path.basename(file)
  const shell = (command: string, cwd?: string): Call => [
    "run_shell",
    cwd === undefined ? { command } : { command, cwd }
  ]
  return [
    ["read_file", { path: file }],
    ["read_file", { path: `${root}/${folder}/../${file}` }],
    ["list_dir", { path: folder }],
    ["glob", { pattern: `${folder}/**` }],
    ["glob", { pattern: "**/*.txt", path: folder }],
    ["grep", { pattern: "mark", path: folder }],
    ["grep", { pattern: "mark", path: file }],
    ["write_file", { path: file, content: "changed\n" }],
    ["edit_file", { path: file, old_text: mark(file), new_text: "changed" }],
    envelope(`*** Delete File: ${file}`),
    envelope(`*** Update File: ${file}`, "@@", `-${mark(file)}`, "+changed"),
    envelope(`*** Update File: ${file}`, "*** Move to: moved.txt", "@@", `-${mark(file)}`, "+changed"),
    ["git_status", { path: folder }],
    ["git_status", {}],
    ["git_diff", { path: folder }],
    ["git_diff", {}],
    ["git_commit", { message: "x", paths: [folder] }],
    ["git_commit", { message: "x", paths: [file] }],
    ["unknown", { target: `${root}/${file}` }],
    ["below", { target: `${root}/${folder}` }],
    ...[
      `cat ${file}`,
      `cat < ./${file}`,
      `head -n 1 "${file}" | cat`,
      `cp ${file} out`,
      `tail -n1 ${folder}/*`,
      `grep -r mark ${folder}`,
      `grep -rh mark --include='*.txt' ${folder}`,
      `tar cf - ${folder}`,
      `find ${folder} -type f -exec cat {} +`,
      `for f in ${folder}/*; do cat "$f"; done`,
      `cd ${folder} && cat ./*`,
      `ln -s ${file} link && cat link`,
      `git diff ${folder}`,
      `git diff --no-index /dev/null ${file}`,
      `bash -c 'cat ${file}'`,
      `sed -n p ${file}`,
      `awk 1 ${file}`,
      `echo changed > ${file}`,
      `rm -rf ${folder === "." ? file : folder}`,
      `mv ${file} out`,
      `sed -i s/mark/changed/ ${file}`
    ].map((command) => shell(command)),
    shell(`cat ${name}`, path.dirname(file))
  ]
}

/** The text of a call where rules let every tool run whatever it is given, and forbid besides. */
const called = (here: World, forbidding: ReadonlyArray<Rule>, call: Call) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make(tools, { middleware: DefaultStack.make({}) })
    const free = tools.map(({ name }): Rule => ({ id: name, decision: "allow", level: "user", tool: name }))
    const rules = [...free, ...forbidding]
    return yield* toolset.call(calledBy(...call)).pipe(
      Effect.match({
        onFailure: ({ _tag }) => ({ text: "", error: _tag as string }),
        onSuccess: ({ text }) => ({ text, error: "" })
      }),
      Effect.provide(Layer.merge(Approvals.layer({ policy: "deny", rules, root: here.root }), here.layer()))
    )
  })

const anyFile = fc.constantFrom(...files)
const anyFolder = fc.constantFrom(...folders)
const anyWay = fc.record({ file: anyFile, folder: anyFolder, way: fc.nat(1000) })
const deny = (path: string): Rule => ({ id: "deny", decision: "deny", level: "user", tool: "*", path })

describe("a rule by path", () => {
  it.scoped("holds for every tool and every way to what it forbids (T20, A6)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      const ways = waysTo("a.txt", ".", here.root).length
      const ran = new Set<string>()
      const cases = fc.sample(fc.tuple(anyFile, fc.boolean(), anyWay), 50)
      for (const [index, [forbidden, whole, { file, folder }]] of cases.entries()) {
        const call = waysTo(file, folder, here.root)[index % ways]!
        const said = JSON.stringify(call)
        restored(here)
        const pattern = whole && forbidden.includes("/") ? `${path.dirname(forbidden)}/**` : forbidden
        const isForbidden = (one: string) =>
          one === forbidden || (pattern.endsWith("/**") && isWithin(`/${one}`, `/${path.dirname(forbidden)}`))
        const before = here.git("rev-parse", "HEAD")
        const { error, text } = yield* called(here, [deny(pattern)], call)
        if (error === "") ran.add(call[0])
        for (const one of files.filter(isForbidden)) {
          assert.notInclude(text, mark(one), `${said} tells of ${one}`)
          assert.isTrue(here.has(one) && here.read(one) === `${mark(one)}\n`, `${said} changes ${one}`)
          assert.isFalse(here.has("out") && here.read("out").includes(mark(one)), `${said} copies ${one}`)
          assert.notInclude(here.git("show", "HEAD"), mark(one), `${said} commits ${one}`)
        }
        if (here.git("rev-parse", "HEAD") !== before) here.git("reset", "-q", "--hard", before.trim())
      }
      const changing = ["write_file", "edit_file", "apply_patch", "run_shell"]
      assert.includeMembers(
        [...ran],
        ["read_file", "list_dir", "glob", "grep", "git_status", "git_diff", "below", ...changing]
      )
      assert.notInclude([...ran], "unknown")
    })
  )
})

/** The files and directories that are opened while an effect runs, by whatever function of `node:fs`. */
const opened = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, ReadonlyArray<string>], E, R> =>
  Effect.suspend(() => {
    const found: Array<string> = []
    const note = (given: unknown) => {
      if (typeof given !== "string") return
      const [, descriptor, rest = ""] = /^\/(?:proc\/self|dev)\/fd\/(\d+)(.*)$/.exec(given) ?? []
      found.push(descriptor === undefined ? given : `${fs.readlinkSync(`/proc/self/fd/${descriptor}`)}${rest}`)
    }
    const undo: Array<() => void> = []
    for (const home of [plainFs, plainFs.promises] as unknown as ReadonlyArray<Record<string, unknown>>) {
      for (const name of [
        "open",
        "openSync",
        "readFile",
        "readFileSync",
        "readdir",
        "readdirSync",
        "opendir",
        "opendirSync",
        "writeFile",
        "writeFileSync",
        "rename",
        "renameSync",
        "unlink",
        "unlinkSync"
      ]) {
        const real = home[name]
        if (typeof real !== "function") continue
        home[name] = (...args: ReadonlyArray<unknown>) => {
          note(args[0])
          return (real as (...args: ReadonlyArray<unknown>) => unknown).apply(home, [...args])
        }
        undo.push(() => (home[name] = real))
      }
    }
    syncBuiltinESMExports()
    return Effect.ensuring(
      Effect.map(self, (value) => [value, found] as const),
      Effect.sync(() => {
        for (const one of undo) one()
        syncBuiltinESMExports()
      })
    )
  })

describe("a built-in tool", () => {
  it("says what its calls touch, unless only its surroundings know (T20)", () => {
    const silentTools = Builtin.tools.filter(({ touches }) => touches === undefined).map(({ name }) => name)
    assert.deepStrictEqual(silentTools, ["git_push"])
  })

  it.scoped("opens nothing else than what it says (T20)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      const inProcess = new Set<string>([
        "read_file",
        "list_dir",
        "glob",
        "grep",
        "write_file",
        "edit_file",
        "apply_patch"
      ])
      const traced = new Set<string>()
      for (const { file, folder, way } of fc.sample(anyWay, 40)) {
        const calls = waysTo(file, folder, here.root).filter(([name]) => inProcess.has(name))
        const call = calls[way % calls.length]!
        restored(here)
        const [name, params] = call
        const tool = Builtin.tools.find((one) => one.name === name)!
        const touches = touchesOf(tool.touches as never, params)
        const [{ error }, seen] = yield* opened(called(here, [], call))
        if (error !== "") continue
        const inside = seen.map((one) => path.resolve(here.root, one)).filter((one) => isWithin(one, here.root))
        const places = (touches?.paths ?? []).map((one) => ({
          ...one,
          path:
            fs.realpathSync.native(path.dirname(path.resolve(here.root, one.path))) +
            "/" +
            path.basename(path.resolve(here.root, one.path))
        }))
        for (const one of inside) {
          const isCovered = places.some(
            ({ below, op, path: place }) =>
              one === place ||
              (below !== undefined && isWithin(one, place)) ||
              // The way there, and what becomes the file or stands for it meanwhile.
              isWithin(place, one) ||
              (op !== "read" &&
                op !== "list" &&
                path.dirname(one) === path.dirname(place) &&
                !files.includes(path.relative(here.root, one)))
          )
          // Which files are left out is said by others.
          const isSetting = [".gitignore", ".git", ".git/info/exclude"].some((name) => one.endsWith(`/${name}`))
          assert.isTrue(isCovered || isSetting, `${JSON.stringify(call)} opens ${one}`)
        }
        if (inside.some((one) => files.includes(path.relative(here.root, one)))) traced.add(name)
      }
      assert.includeMembers([...traced], ["read_file", "grep"])
    })
  )
})
