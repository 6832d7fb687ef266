// Run by `closing.test.ts` as a user who is not root: what a workspace is like after commands that close its directories.
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { calledBy, World } from "./support.ts"

const here = new World(process.argv[2] ?? "")
const services = Layer.mergeAll(
  Approvals.layer({ policy: "sandboxed", attended: false, root: here.root, home: here.home }),
  Memory.layerMemory(),
  Builtin.layer({ environment: here.environment, workspace: { root: here.root, home: here.home, trusted: false } })
)
const run = (program: string) =>
  Effect.gen(function* () {
    here.write("run.mjs", `import fs from "node:fs"; import path from "node:path"; ${program}`)
    const toolset = yield* Toolset.make(Builtin.tools, { middleware: DefaultStack.make({}) })
    const result = yield* Effect.either(toolset.call(calledBy("run_shell", { command: "node run.mjs" })))
    return Either.match(result, { onLeft: ({ message }) => message, onRight: ({ text }) => text })
  })

const kept = ["app/.env", "app/.envrc", ".vscode/tasks.json", ".github/workflows/ci.yml", ".git/HEAD"]
const attempt = `for (const f of ${JSON.stringify(kept)}) {
  try { console.log(fs.readFileSync(f, "utf8")) } catch {}
  try { fs.writeFileSync(f, "changed") } catch {}
}`

const program = Effect.gen(function* () {
  const { describe } = yield* Sandbox
  if (!describe.isolated) return { isolated: false }
  for (const file of kept) here.write(file, `content of ${file}`)
  const closing = yield* run(`fs.chmodSync("app", 0o311); fs.chmodSync(".", 0o311)`)
  const tried = yield* run(attempt)
  const contents = kept.filter((file) => here.read(file) === `content of ${file}`)
  const creating = yield* run(
    `fs.mkdirSync("src/.git", { recursive: true }); fs.writeFileSync("src/.git/config", "[core]\\n\\tfsmonitor = evil\\n");
     fs.writeFileSync("src/.envrc", "x"); fs.mkdirSync("src/.vscode"); fs.chmodSync("src", 0o311)`
  )
  const created = [".git", ".envrc", ".vscode"].filter((name) => here.has(`src/${name}`))
  fs.mkdirSync(`${here.root}/mine`)
  here.write("mine/.env", "classified")
  fs.chmodSync(`${here.root}/mine`, 0o311)
  const own = yield* run(`try { console.log(fs.readFileSync("mine/.env", "utf8")) } catch { console.log("nothing") };
    try { fs.chmodSync("mine", 0o777); fs.writeFileSync("mine/.envrc", "x") } catch { console.log("unchanged") }`)
  const mode = fs.statSync(`${here.root}/mine`).mode & 0o777
  fs.chmodSync(here.root, 0o311)
  const shut = yield* run("console.log('ran')").pipe(Effect.catchAllDefect((defect) => Effect.succeed(String(defect))))
  fs.chmodSync(here.root, 0o700)
  return { isolated: true, kept, closing, tried, contents, creating, created, own, mode, shut }
})

Effect.runPromise(Effect.provide(program, services)).then((said) => process.stdout.write(JSON.stringify(said)))
