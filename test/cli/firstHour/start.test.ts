// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { ctrlD, escape, hour, matches, sizes } from "./hour.ts"

/** A model server that takes no key. */
const refusing = async () => {
  const server = http.createServer((request, response) => {
    request.resume()
    response.writeHead(401, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: "Incorrect API key provided. Make a new one." } }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { server, baseUrl: `http://127.0.0.1:${port}/v1` }
}

describe("the first start", () => {
  const { open } = hour()

  it.each(sizes)("without a configuration asks what to use, at %d × %d (U9, U12)", async (...size) => {
    const prompt = await open([], size, { OLLAMA_HOST: "127.0.0.1:1", MISTRAL_API_KEY: "a-key" })
    await prompt.seen("esc leaves")
    await matches(prompt, "start-unconfigured", size)
    prompt.press(escape)
    assert.strictEqual(await prompt.ended, 0)
    const doctor = await open(["doctor"], size)
    assert.strictEqual(await doctor.ended, 4)
    await matches(doctor, "start-doctor", size)
  })

  it.each(sizes)("with a wrong key says so once, and how to mend it, at %d × %d (U9, U12)", async (...size) => {
    const { baseUrl, server } = await refusing()
    const env = { OPENAI_API_KEY: "wrong-key-of-a-user" }
    const told = await open(["config", "set", "profiles.openai.baseUrl", baseUrl], size, env)
    assert.strictEqual(await told.ended, 0)
    const prompt = await open([], size, env)
    await prompt.idle()
    prompt.press("hello\r")
    await prompt.seen("1 request")
    prompt.press(ctrlD)
    assert.strictEqual(await prompt.ended, 0)
    await matches(prompt, "start-wrong-key", size)
    const doctor = await open(["doctor"], size, env)
    assert.strictEqual(await doctor.ended, 4)
    await matches(doctor, "start-wrong-key-doctor", size)
    server.close()
  })
})
