// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { scripted } from "../command.ts"
import { ctrlD, escape, hour, matches, sizes } from "./hour.ts"

const writing = { call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }

describe("a session", () => {
  const { at, open } = hour()

  it.each(sizes)("goes on the next day where it stopped, at %d × %d (U12)", async (...size) => {
    scripted(at(), [
      { when: "and now", steps: [{ say: "Now we go on." }] },
      { repeat: true, steps: [{ say: "A file of one line, then." }] }
    ])
    const first = await open([], size)
    await first.idle()
    first.press("plan a file\r")
    await first.seen("1 request")
    first.press(ctrlD)
    assert.strictEqual(await first.ended, 0)
    const second = await open(["--continue"], size)
    await second.idle()
    second.press("and now?\r")
    await second.seen("Now we go on.")
    await second.idle(/Now we go on\.[^]*1 request/)
    second.press("/status\r")
    await second.seen("asks before acting ·")
    second.press("/help\r")
    await second.seen("/exit")
    second.press("/exit\r")
    assert.strictEqual(await second.ended, 0)
    await matches(second, "sessions-continue", size)
    const listed = await open(["sessions"], size)
    assert.strictEqual(await listed.ended, 0)
    await matches(listed, "sessions-list", size)
  })

  it.each(sizes)(
    "that is open in another terminal is shown as it goes on there, at %d × %d (R4, U9)",
    async (...size) => {
      scripted(at(), [{ steps: [writing] }])
      const first = await open([], size)
      await first.idle()
      first.press("write\r")
      await first.seen("allow?")
      const second = await open(["--continue"], size)
      await second.seen(/› write[^]*needs an answer[^]*READ-ONLY/)
      await matches(second, "sessions-two-terminals", size)
      second.press(ctrlD)
      assert.strictEqual(await second.ended, 0)
      const waiting = await open(["approvals"], size)
      assert.strictEqual(await waiting.ended, 0)
      const said = waiting.lines().join(" ").replaceAll(/\s+/g, " ")
      assert.match(said, /1 request waiting [0-9a-f]{8} session_\w+ .* medium write_file: create a\.txt/)
      assert.include(said, "tollgate approvals show ID, tollgate approvals answer ID yes|no.")
      first.press(escape)
      await first.seen("◼ interrupted")
      first.press(ctrlD)
      assert.strictEqual(await first.ended, 0)
    }
  )
})
