// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type ModelServer, modelServer } from "../support/ModelServer.ts"
import { png } from "../support/pictures.ts"
import { type Place, place, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const ctrlD = "\u0004"

describe("images", () => {
  let at: Place
  let server: ModelServer
  const shot = png(640, 480)
  const data = Buffer.from(shot).toString("base64")
  beforeEach(async () => {
    at = place()
    server = await modelServer({ answer: "A cat." })
    const common = { provider: "chat-completions", baseUrl: server.baseUrl, maxAttempts: 1 }
    const profiles = {
      eyes: { ...common, model: "llava" },
      blind: { ...common, model: "qwen3" }
    }
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
    fs.writeFileSync(
      path.join(at.env["TOLLGATE_HOME"]!, "config.json"),
      JSON.stringify({ profile: "eyes", profiles, sandbox: { target: "none" } })
    )
    fs.writeFileSync(path.join(at.work, "shot.png"), shot)
    fs.writeFileSync(path.join(at.work, "not.png"), "<svg/>")
  })
  afterEach(async () => {
    await server.close()
    at.remove()
  })
  const { open } = probes(() => at)
  /** The parts of the last prompt that the server got. */
  const sent = () => {
    const { messages } = JSON.parse(server.bodies.at(-1) ?? "{}") as {
      readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
    }
    return messages.findLast(({ role }) => role === "user")?.content
  }
  const parts = (text: string) => [
    { type: "text", text },
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }
  ]

  it("reach the model by --image, are kept by an export and an import, and are refused with the reason (U12)", async () => {
    const { code, stdout } = await tollgate(at, ["run", "what is it?", "--image", "shot.png"])
    assert.deepStrictEqual([code, stdout], [0, "A cat.\n"])
    assert.deepStrictEqual(sent(), parts("what is it?\n[Image shot.png 640×480]"))
    assert.strictEqual((await tollgate(at, ["export", "-o", "talk.json"])).code, 0)
    const imported = await tollgate(at, ["import", "talk.json"])
    assert.strictEqual(imported.code, 0, imported.stderr)
    const again = await tollgate(at, ["run", "--continue", "and now?"])
    assert.strictEqual(again.code, 0, again.stderr)
    assert.include(server.bodies.at(-1), data)
    const bytes = fs.statSync(path.join(at.work, "talk.json")).size
    assert.isBelow(bytes, 2 * data.length + 20_000)
    const refused = await tollgate(at, ["run", "x", "--image", "not.png"])
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "not.png cannot be attached: it is not a PNG, JPEG, GIF or WebP image.")
    execFileSync("mkfifo", [path.join(at.work, "pipe.png")])
    const pipe = await tollgate(at, ["run", "x", "--image", "pipe.png"])
    assert.include(pipe.stderr, "pipe.png cannot be attached: it is not a file.")
    const none = await tollgate(at, ["run", "x", "--image", "none.png"])
    assert.include(none.stderr, "none.png cannot be attached: it does not exist.")
  })

  it("are refused before anything is sent or stored where the model takes none, with what to do (U12)", async () => {
    const reason = "shot.png cannot be attached: the model of the profile blind takes no images. "
    for (const asked of [["x", "--image", "shot.png"], ["what is @shot.png?"]]) {
      const blind = await tollgate(at, ["run", ...asked, "--profile", "blind"])
      assert.strictEqual(blind.code, 2)
      assert.include(blind.stderr, `${reason}Choose another: --profile eyes.`)
    }
    const none = await tollgate(at, ["run", "what is @none.png?"])
    assert.deepStrictEqual(
      [none.code, none.stderr.includes("none.png cannot be attached: it does not exist.")],
      [2, true]
    )
    assert.deepStrictEqual(server.bodies, [])
    assert.strictEqual((await tollgate(at, ["sessions", "list", "--jsonl"])).stdout, "")

    const { code, stdout } = await tollgate(at, ["run", "what is @shot.png here"])
    assert.deepStrictEqual([code, stdout], [0, "A cat.\n"])
    assert.deepStrictEqual(sent(), parts("what is [Image shot.png 640×480] here"))

    const terminal = await open(["--profile", "blind"], { columns: 140 })
    await terminal.idle()
    const before = server.bodies.length
    terminal.press("what is @shot.png\r")
    await terminal.seen(`${reason}Choose another: /model eyes.`)
    // It stands there again, to be sent once the other model is chosen.
    await terminal.seen(/› what is @shot\.png$/m)
    assert.strictEqual(server.bodies.length, before)
    terminal.press("\u0015/model eyes\r")
    await terminal.seen("the next task uses eyes")
    terminal.press("what is @shot.png\r")
    await terminal.idle(/› what is \[Image shot\.png 640×480\][^]*A cat\./)
    assert.deepStrictEqual(sent(), parts("what is [Image shot.png 640×480]"))
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
  })

  it("are named in a prompt behind @ or pasted as a path, and shown by name and size (U12)", async () => {
    const spaced = path.join(at.work, "my shot.png")
    fs.writeFileSync(spaced, shot)
    const terminal = await open([], { columns: 120 })
    await terminal.idle()
    terminal.press("what is @shot.png here\r")
    await terminal.idle(/› what is \[Image shot\.png 640×480\] here[^]*A cat\./)
    assert.deepStrictEqual(sent(), parts("what is [Image shot.png 640×480] here"))
    for (const pasted of [spaced.replaceAll(" ", "\\ "), `'${spaced}'`, `file://${spaced.replaceAll(" ", "%20")}`]) {
      const before = server.bodies.length
      terminal.press(`\u001b[200~${pasted}\u001b[201~`)
      terminal.press("\r")
      await terminal.idle(new RegExp(`(?:› \\[Image my shot\\.png 640×480\\][^]*?A cat\\.[^]*?){${before}}`))
      assert.deepStrictEqual(sent(), parts("[Image my shot.png 640×480]"))
    }
    terminal.press("see @not.png\r")
    await terminal.seen("not.png cannot be attached")
    // It stands there again, to be mended.
    await terminal.seen(/› see @not\.png$/m)
    terminal.press("\u0015see @sho\t")
    await terminal.seen(/› see @shot\.png ?$/m)
    terminal.press("\r")
    await terminal.idle(/› see \[Image shot\.png 640×480\][^]*A cat\./)
    terminal.press("/model blind\r")
    await terminal.seen("the next task uses blind")
    terminal.press(`and ${path.join(at.work, "shot.png")}?\r`)
    await terminal.idle(/shot\.png\?[^]*A cat\./)
    assert.notInclude(server.bodies.at(-1), data)
    assert.include(server.bodies.at(-1), "[Image my shot.png 640×480]")
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
  })
})
