import { assert, describe, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { approveServer } from "../../src/host/approveServer.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { absolute, ownProgram } from "../../src/mcp/ownProgram.ts"
import { programIn } from "../../src/mcp/ProgramState.ts"
import * as StateFile from "../../src/mcp/StateFile.ts"
import { directory, planned, servers, tool } from "./support.ts"

const words = (text: string) => text.split(" ")

describe("the program of a user's MCP server", () => {
  for (const [command, args] of [
    ["npx -y pkg@1.0.0 .", "--prefix / -y pkg@1.0.0 ."],
    ["/usr/bin/npx -y pkg", "--prefix / -y pkg"],
    ["npm exec -y -- pkg", "--prefix / exec -y -- pkg"],
    ["npx --prefix /home/me/tools pkg", "--prefix /home/me/tools pkg"],
    ["node /home/me/server.mjs .", "/home/me/server.mjs ."],
    ["npm --prefix /home/me/server start", "--prefix /home/me/server start"],
    ["uv --directory /home/me/server run server", "--directory /home/me/server run server"],
    ["uvx mcp-server-git", "mcp-server-git"],
    ["docker run -i --rm image", "run -i --rm image"],
    ["mcp-server --root .", "--root ."]
  ] as const)
    it(`is the same in every directory: ${command} (X1)`, () => {
      const found = Either.getOrThrow(ownProgram(words(command)))
      assert.strictEqual(found.args.join(" "), args)
      assert.isUndefined(found.cwd)
    })

  it("is looked for in no project, where its launcher would do so (X1)", () => {
    for (const command of ["bunx pkg", "pnpm dlx pkg", "yarn dlx pkg"])
      assert.strictEqual(Either.getOrThrow(ownProgram(words(command))).cwd, "/", command)
    assert.deepStrictEqual(Either.getOrThrow(ownProgram(words("python3 -m server"))).env, { PYTHONSAFEPATH: "1" })
  })

  it("does not start where every project would bring another one, and is added by its whole path (X1)", () => {
    for (const command of [
      "node server.mjs",
      "./server",
      "bin/server",
      "python3 -u src/server.py",
      "deno ./x.ts",
      "bash s.sh"
    ]) {
      assert.include(
        Either.getOrThrow(Either.flip(ownProgram(words(command)))),
        "another file in every project",
        command
      )
      const added = absolute(words(command), "/home/me")
      assert.isTrue(Either.isRight(ownProgram(added)), command)
      assert.strictEqual(added.filter((word) => word.startsWith("/home/me/")).length, 1, command)
    }
    for (const command of ["npm start", "make serve", "uv run server", "cargo run", "go run .", "bun run serve"])
      assert.include(
        Either.getOrThrow(Either.flip(ownProgram(words(command)))),
        "what the project around it says",
        command
      )
  })

  it("is looked at where it lies in the project, and nothing else that is there (X1)", () => {
    const project = path.resolve("test/fixtures")
    const files = (...[program = "", ...args]: ReadonlyArray<string>) =>
      programIn(project, { server: { command: [program, ...args] } })?.files ?? []
    const server = path.join(project, "mcp/server.mjs")
    assert.include(files("node", server, "--db", path.join(project, "README")), server)
    assert.include(files(server), server)
    for (const command of [
      ["npx", "-y", "pkg", project],
      ["sqlite-server", server],
      ["node", "/else/x.mjs", server]
    ] as const)
      assert.deepStrictEqual(files(...command), [], command.join(" "))
  })

  it.scopedLive("in the project starts as it was when it was approved, however it was changed (X1, A5)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const work = path.join(at, "work")
      fs.mkdirSync(work)
      const { known, logged, started } = planned(at, "fix", { tools: [tool("echo")] })
      const [, fixture, plan] = "command" in known.server ? known.server.command : []
      const program = path.join(work, "server.mjs")
      const part = path.join(work, "part.mjs")
      fs.writeFileSync(part, "export const part = 1\n")
      fs.writeFileSync(program, `import "./part.mjs"\nimport ${JSON.stringify(fixture)}\n`)
      const own = { ...known, server: { command: [process.execPath, program, plan!] } } as typeof known
      const [slot] = (yield* servers(at, [own])).all
      const state = StateFile.stateOf(path.join(at, "state"), own, work)
      const approve = Effect.flatMap(slot!.refresh, (manifest) => approveServer(own, state, manifest))
      const audit = Layer.succeed(Audit, { commit: () => Effect.void } as unknown as Context.Tag.Service<typeof Audit>)
      yield* Effect.provide(approve, audit)
      assert.strictEqual(started(), 1)

      for (const changed of [part, program]) {
        const before = fs.readFileSync(changed, "utf8")
        fs.appendFileSync(changed, "// changed\n")
        const count = started()
        const [again] = (yield* servers(at, [own])).all
        const refused = yield* Effect.flip(again!.acquire)
        assert.include(refused.message, "not what you approved; run tollgate mcp trust fix there")
        assert.strictEqual(started(), count, logged().join("\n"))
        fs.writeFileSync(changed, before)
        yield* (yield* servers(at, [own])).all[0]!.acquire
        assert.strictEqual(started(), count + 1)
      }
    })
  )
})
