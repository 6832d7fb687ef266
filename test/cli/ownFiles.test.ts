// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { tree } from "../../src/cli/command/root.ts"
import { built } from "../support/built.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

const call = (name: string, args: object) => ({ call: { name, arguments: args } })
const done = { steps: [{ say: "Done." }] }

/** Writes the code that V8 compiled from another program of the same length, which V8 cannot tell from the real one. */
const forging = `
  const vm = require("node:vm"), fs = require("node:fs"), Module = require("node:module")
  const [file, ...caches] = process.argv.slice(1)
  const length = Module.wrap(fs.readFileSync(file, "latin1")).length
  const body = 'process.stdout.write("FORGED");'
  const source = Module.wrap(body + " ".repeat(length - Module.wrap(body).length))
  const script = new vm.Script(source, { filename: file })
  script.runInThisContext().call({}, {}, require, {}, file, "")
  const code = Buffer.concat([script.createCachedData(), Buffer.from("\\n[]")])
  for (const cache of caches) fs.writeFileSync(cache, code, { mode: 0o600 })
`

describe("the code that the command keeps", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const listing = ["config"]
  let forger: Place
  beforeAll(async () => {
    forger = place()
    const cache = path.join(forger.home, "cache")
    assert.strictEqual((await tollgate(forger, listing, "", { XDG_CACHE_HOME: cache })).code, 0)
    const main = mainOf(path.join(cache, "tollgate"))
    execFileSync(process.execPath, ["-e", forging, path.join(path.dirname(await built()), "main.cjs"), main])
  })
  afterAll(() => forger.remove())
  const mainOf = (directory: string) =>
    path.join(
      directory,
      fs.readdirSync(directory).find((name) => name.includes("main.cjs"))!
    )
  /** A cache of the user, with forged code in place of all that was kept. */
  const forged = () => {
    const cache = path.join(at.home, "cache")
    execFileSync("cp", ["-a", path.join(forger.home, "cache"), cache])
    const directory = path.join(cache, "tollgate")
    return { cache, directory, main: mainOf(directory) }
  }

  it("runs as it is found, which is why the rest of these tests matter (S2)", async () => {
    const { cache } = forged()
    assert.include((await tollgate(at, listing, "", { XDG_CACHE_HOME: cache })).stdout, "FORGED")
  })

  it("grows by what each command comes by, three times, and is then left as it is (P2)", async () => {
    const cache = path.join(at.home, "cache")
    const kept = async (...words: ReadonlyArray<string>) => {
      assert.strictEqual((await tollgate(at, words, "", { XDG_CACHE_HOME: cache })).code, 0)
      return fs.readFileSync(mainOf(path.join(cache, "tollgate")))
    }
    const runs = (code: Buffer): unknown => JSON.parse(code.toString("latin1").split("\n").at(-1) ?? "")
    const first = await kept("config")
    assert.deepStrictEqual(runs(first), [["config", 1]])
    await kept("sessions", "list")
    await kept("sessions", "list", "--all")
    const last = await kept("sessions", "list")
    assert.deepStrictEqual(runs(last), [
      ["config", 1],
      ["sessions list", 3]
    ])
    assert.isAbove(last.length, first.length)
    assert.isTrue((await kept("sessions", "list")).equals(last))
  })

  it("is left out where it cannot be kept, without a word (P2)", async () => {
    const file = path.join(at.home, "file")
    fs.writeFileSync(file, "")
    const { code, stderr } = await tollgate(at, listing, "", { XDG_CACHE_HOME: file })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  })

  it("knows which commands have commands below them (P2)", () => {
    const launcher = fs.readFileSync("scripts/launcher.cjs", "utf8")
    const [, list = ""] = /^const groups = (\[[^\]]*\])/m.exec(launcher) ?? []
    const groups = Object.entries(tree.below ?? {}).filter(([, { below }]) => below !== undefined)
    assert.deepStrictEqual(JSON.parse(list), groups.map(([name]) => name).toSorted())
  })

  it("is neither read nor written below a workspace, whatever name leads there (S2, T20)", async () => {
    const { cache } = forged()
    const inside = path.join(at.work, "sub", "cache")
    fs.cpSync(cache, inside, { recursive: true })
    const link = path.join(at.home, "link")
    fs.symlinkSync(inside, link)
    const within = path.join(at.work, "within")
    fs.symlinkSync(cache, within)
    const roots = JSON.stringify([path.dirname(inside)])
    fs.mkdirSync(path.join(at.home, "config", "tollgate"), { recursive: true })
    fs.writeFileSync(path.join(at.home, "config", "tollgate", "config.json"), JSON.stringify({ roots: [cache] }))
    const elsewhere = { ...at, work: at.home }
    const deep = path.join(at.work, "deep")
    fs.mkdirSync(path.join(at.work, ".git"))
    fs.mkdirSync(deep)
    const before = fs.readdirSync(path.join(inside, "tollgate"))
    for (const [where, env] of [
      [at, { XDG_CACHE_HOME: inside }],
      [at, { TOLLGATE_CACHE: inside }],
      [at, { XDG_CACHE_HOME: link }],
      [at, { XDG_CACHE_HOME: within }],
      [{ ...at, work: deep }, { XDG_CACHE_HOME: inside }],
      [
        { ...at, work: "/" },
        { XDG_CACHE_HOME: inside, TOLLGATE_ROOTS: roots }
      ],
      [at, { XDG_CACHE_HOME: cache, TOLLGATE_HOME: "", XDG_CONFIG_HOME: path.join(at.home, "config") }],
      [elsewhere, { XDG_CACHE_HOME: cache }]
    ] as const) {
      const { code, stdout } = await tollgate(where, listing, "", env)
      assert.notInclude(stdout, "FORGED", JSON.stringify(env))
      assert.strictEqual(code, 0)
    }
    assert.deepStrictEqual(fs.readdirSync(path.join(inside, "tollgate")), before)
  })

  it.each([
    ["a link of its file", "tollgate/config.json"],
    ["a link of its directory", "tollgate"]
  ])("is not read where what is configured cannot be known, for %s leads nowhere (S2, T20)", async (_, link) => {
    const { cache } = forged()
    const config = path.join(at.home, "config")
    fs.mkdirSync(path.dirname(path.join(config, link)), { recursive: true })
    fs.symlinkSync(path.join(at.home, "nowhere"), path.join(config, link))
    const env = { XDG_CACHE_HOME: cache, TOLLGATE_HOME: "", XDG_CONFIG_HOME: config }
    const { code, stderr, stdout } = await tollgate(at, listing, "", env)
    assert.notInclude(stdout, "FORGED")
    assert.strictEqual(code, 4, stderr)
  })

  it.each<readonly [string, (kept: { readonly directory: string; readonly main: string }) => void]>([
    ["others may read it", ({ main }) => fs.chmodSync(main, 0o644)],
    ["others may enter its directory", ({ directory }) => fs.chmodSync(directory, 0o755)],
    ["it has another name", ({ main }) => fs.linkSync(main, `${main}-other`)],
    [
      "it is a link",
      ({ main }) => {
        fs.renameSync(main, `${main}-other`)
        fs.symlinkSync(`${main}-other`, main)
      }
    ],
    [
      "its directory is a link",
      ({ directory }) => {
        fs.renameSync(directory, `${directory}-other`)
        fs.symlinkSync(`${directory}-other`, directory)
      }
    ],
    [
      "it belongs to somebody else",
      ({ main }) => (process.getuid?.() === 0 ? fs.chownSync(main, 12345, 0) : fs.rmSync(main))
    ]
  ])("is left alone where %s (S2)", async (_, change) => {
    const found = forged()
    change(found)
    const { code, stdout } = await tollgate(at, listing, "", { XDG_CACHE_HOME: found.cache })
    assert.notInclude(stdout, "FORGED")
    assert.strictEqual(code, 0)
  })
})

describe("what is Tollgate's own", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const marker = "marker-7f3a"
  const run = async (steps: ReadonlyArray<object>, args: ReadonlyArray<string>, env: object) => {
    scripted(at, [{ steps }, done])
    return tollgate(at, ["run", "--jsonl", "go", ...args], "", env)
  }

  it.each([["--approve", "allow-edits"], ["--dangerously-allow-all"]])(
    "is out of reach of every tool below a workspace, with %s %s (S2, T20)",
    async (...mode) => {
      const own = (name: string) => path.join(at.work, name, "tollgate")
      const env = {
        TOLLGATE_HOME: "",
        XDG_CACHE_HOME: path.join(at.work, "cache"),
        XDG_CONFIG_HOME: path.join(at.work, "config"),
        XDG_DATA_HOME: path.join(at.work, "data")
      }
      const places = ["cache", "config", "data"].map(own)
      for (const place of places) {
        fs.mkdirSync(place, { recursive: true })
        fs.writeFileSync(path.join(place, "note.txt"), `${marker}\n`)
      }
      scripted(at, [])
      fs.copyFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), path.join(own("config"), "config.json"))
      const steps = places.flatMap((place) => [
        call("read_file", { path: path.join(place, "note.txt") }),
        call("grep", { pattern: "marker", path: place }),
        call("list_dir", { path: place }),
        call("glob", { pattern: `${place}/*` }),
        call("write_file", { path: path.join(place, "note.txt"), content: "forged" }),
        call("edit_file", { path: path.join(place, "note.txt"), edits: [{ old_text: "marker", new_text: "forged" }] }),
        call("run_shell", { command: `cat ${place}/note.txt` })
      ])
      // These may be asked about, which ends a task that nobody watches: so they come last.
      const writing = places.map((place) => call("run_shell", { command: `cp a.txt ${place}/note.txt` }))
      const everywhere = [call("grep", { pattern: "mark[e]r" }), call("glob", { pattern: "**/note.txt" })]
      const { stdout } = await run([...steps, ...everywhere, ...writing], mode, env)
      const ends = stdout.split("\n").filter((line) => /"_tag":"ToolCall(?:Completed|Failed|Interrupted)"/.test(line))
      assert.strictEqual(ends.length, steps.length + everywhere.length + writing.length, stdout)
      assert.isAbove(ends.filter((line) => line.includes("Failed")).length, 0)
      for (const line of ends) assert.notInclude(line.replaceAll(/"path":"[^"]*"/g, ""), marker)
      for (const place of places)
        assert.strictEqual(fs.readFileSync(path.join(place, "note.txt"), "utf8"), `${marker}\n`)
    }
  )

  it("keeps a long result for its own session, for no other and for no other tool (S2, S5)", async () => {
    fs.writeFileSync(path.join(at.work, "numbers"), Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join(""))
    const first = await run([call("run_shell", { command: "cat numbers" })], ["--approve=deny"], {})
    const [, kept = ""] = /the whole is in (\S+?), read it with read_file/.exec(first.stdout) ?? []
    assert.include(fs.readFileSync(kept, "utf8"), "line 9999\n")
    const looks = [
      call("read_file", { path: kept, offset: 10_000, limit: 1 }),
      call("read_file", {
        path: path.join(path.dirname(kept), "..", path.basename(path.dirname(kept)), path.basename(kept)),
        offset: 10_000,
        limit: 1
      }),
      call("grep", { pattern: "line 9999", path: kept }),
      call("list_dir", { path: path.dirname(kept) }),
      call("list_dir", { path: path.dirname(path.dirname(kept)) }),
      call("run_shell", { command: `grep 'line 9999' ${kept}` })
    ]
    const other = await run(looks, ["--dangerously-allow-all"], {})
    const ends = other.stdout.split("\n").filter((line) => /"_tag":"ToolCall(?:Completed|Failed)"/.test(line))
    assert.strictEqual(ends.length, looks.length)
    for (const line of ends) {
      assert.include(line, "ToolCallFailed", line)
      assert.notInclude(line, "line 9999\\n", line)
    }
  })
})
