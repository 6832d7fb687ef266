import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { follow, state } from "../../src/process/ProgramFiles.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

type Files = Readonly<Record<string, string>>
type Command = readonly [string, ...ReadonlyArray<string>]

/** A project, what runs in it, and a change that makes something else run. */
const followed: ReadonlyArray<readonly [string, Files, Command, Files]> = [
  ["the program itself", { "check.sh": "true" }, ["./check.sh"], { "check.sh": "false" }],
  ["a script", { "a.mjs": "1" }, ["node", "a.mjs"], { "a.mjs": "2" }],
  ["a script by its full path", { "a.mjs": "1" }, ["/usr/bin/node", "{}/a.mjs"], { "a.mjs": "2" }],
  ["an import", { "a.mjs": 'import "./lib/b.mjs"', "lib/b.mjs": "1" }, ["node", "a.mjs"], { "lib/b.mjs": "2" }],
  [
    "an import of an import, without endings",
    { "a.cjs": 'require("./lib/b")', "lib/b.js": "require('../c')", "c/index.js": "1" },
    ["node", "a.cjs"],
    { "c/index.js": "2" }
  ],
  ["a file that takes precedence", { "a.cjs": 'require("./b")', "b.json": "1" }, ["node", "a.cjs"], { "b.js": "2" }],
  ["what says how modules are read", { "x/a.js": "1" }, ["node", "x/a.js"], { "package.json": '{"type":"module"}' }],
  ["code in the command", { "b.cjs": "1" }, ["node", "-e", 'require("./b.cjs")'], { "b.cjs": "2" }],
  [
    "a list that it reads",
    { "a.mjs": 'readFileSync("denied.txt")', "denied.txt": "rm" },
    ["node", "a.mjs"],
    { "denied.txt": "" }
  ],
  [
    "a Python module",
    { "a.py": "from pkg.deep import x", "pkg/deep.py": "1" },
    ["python3", "a.py"],
    { "pkg/deep.py": "2" }
  ],
  ["a module in front of the library's", { "t/a.py": "import json" }, ["python3", "t/a.py"], { "t/enum.py": "2" }],
  [
    "what npm runs",
    { "package.json": '{"scripts":{"x":"node b.js"}}', "b.js": "1" },
    ["npm", "run", "x"],
    { "b.js": "2" }
  ],
  ["a file that a shell script names", { "a.sh": "node b.js", "b.js": "1" }, ["bash", "a.sh"], { "b.js": "2" }],
  [
    "a program by its first line",
    { x: "#!/usr/bin/env node\nimport './b.mjs'", "b.mjs": "1" },
    ["./x"],
    { "b.mjs": "2" }
  ]
]

/** What runs something that nobody can name. */
const open: ReadonlyArray<readonly [string, Files, Command]> = [
  ["a task runner", {}, ["make", "check"]],
  ["npm", { "package.json": "{}" }, ["npm", "test"]],
  ["a shell script", { "a.sh": "true" }, ["bash", "a.sh"]],
  ["a shell text", {}, ["sh", "-c", "true"]],
  ["a computed require", { "a.cjs": "require(process.argv[2])" }, ["node", "a.cjs"]],
  ["a template", { "a.cjs": "require(`./${x}`)" }, ["node", "a.cjs"]],
  ["a computed import", { "a.mjs": "await import(name)" }, ["node", "a.mjs"]],
  ["a child process", { "a.mjs": 'import { execFile } from "node:child_process"' }, ["node", "a.mjs"]],
  ["code by name", { "a.py": "import importlib" }, ["python3", "a.py"]],
  ["a module by name", {}, ["python3", "-m", "pkg"]],
  ["an option in front of the script", { "a.js": "1" }, ["node", "--import=./b.mjs", "a.js"]],
  ["an import far down", { "a.mjs": "import './b.mjs'", "b.mjs": "eval(x)" }, ["node", "a.mjs"]],
  ["a package", { "a.cjs": 'require("pkg")', "node_modules/pkg/x.js": "1" }, ["node", "a.cjs"]],
  ["a program without a first line", { x: "true" }, ["./x"]]
]

const put = (folder: string, files: Files) => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
}

const filled = (folder: string, [program, ...args]: Command): Command => [
  program,
  ...args.map((word) => word.replace("{}", folder))
]

describe("the files that hooks of a project run", () => {
  it.scoped.each(followed)("include %s (S2)", ([, files, command, change]) =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      put(folder, files)
      const before = follow(folder, [filled(folder, command)])
      assert.deepStrictEqual(follow(folder, [filled(folder, command)]), before)
      put(folder, { "unrelated/notes.md": "something else" })
      assert.deepStrictEqual(follow(folder, [filled(folder, command)]), before)
      put(folder, change)
      assert.notStrictEqual(follow(folder, [filled(folder, command)]).digest, before.digest)
    })
  )

  it.scoped.each(open)("cannot all be named where there is %s (S2)", ([, files, command]) =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      put(folder, files)
      assert.isTrue(follow(folder, [command]).open)
    })
  )

  it.scoped("can be named where every import is written out (S2)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      put(folder, {
        "a.mjs": 'import * as fs from "node:fs"\nimport { b } from "./b.mjs"\nfs.readFileSync(0, "utf8")',
        "b.mjs": "export const b = 1",
        "c.py": "import json, sys\njson.load(sys.stdin)"
      })
      assert.isFalse(
        follow(folder, [
          ["node", "a.mjs"],
          ["python3", "c.py"]
        ]).open
      )
    })
  )

  it.scopedLive("show every change to the project by its state, also one that restores size and time (S2)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      put(folder, { "deep/a.txt": "one", ".git/HEAD": "x" })
      const file = path.join(folder, "deep/a.txt")
      const { atime, mtime } = fs.statSync(file)
      const seen = new Set([state(folder)])
      const changes = [
        () => {
          fs.writeFileSync(file, "two")
          fs.utimesSync(file, atime, mtime)
        },
        () => put(folder, { "deep/new": "" }),
        () => fs.chmodSync(file, 0o755),
        () => fs.renameSync(file, path.join(folder, "b.txt")),
        () => fs.symlinkSync("b.txt", file)
      ]
      for (const change of changes) {
        change()
        seen.add(state(folder))
      }
      assert.strictEqual(seen.size, changes.length + 1)
      const last = state(folder)
      put(folder, { ".git/HEAD": "y" })
      assert.strictEqual(state(folder), last)
    })
  )
})
