// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { place, scripted, start } from "../cli/command.ts"

interface Reached {
  readonly url: string
  readonly token: string
}

const reached = (at: ReturnType<typeof place>): Reached => {
  const servers = path.join(at.env["TOLLGATE_HOME"]!, "servers")
  const [name = ""] = fs.readdirSync(servers)
  const file = path.join(servers, name)
  assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
  return JSON.parse(fs.readFileSync(file, "utf8")) as Reached
}

// oxlint-disable-next-line typescript/no-explicit-any -- each step knows what it has asked for
const ask = ({ token, url }: Reached, target: string, body?: unknown): Promise<{ status: number; json: any }> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { "content-type": "application/json" })
    }
    const request = http.request(`${url}${target}`, {
      method: text === undefined ? "GET" : "POST",
      headers,
      agent: false
    })
    request.once("error", reject)
    request.once("response", (response) => {
      let said = ""
      response.setEncoding("utf8").on("data", (piece: string) => (said += piece))
      response.once("end", () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(said) as unknown }))
    })
    request.end(text)
  })

/** Reads a stream until one of its lines has this text. */
const seen = ({ token, url }: Reached, target: string, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.get(`${url}${target}`, { headers: { authorization: `Bearer ${token}` }, agent: false })
    request.once("error", reject)
    request.once("response", (response) => {
      let said = ""
      response.setEncoding("utf8").on("error", () => {})
      response.on("data", (piece: string) => {
        said += piece
        if (!said.includes(text)) return
        request.off("error", reject).on("error", () => {})
        request.destroy()
        resolve()
      })
    })
  })

const appending = "printf x >> ran.txt"

describe("a server that is killed", () => {
  it("has the open request again, lets two clients answer at once, and runs the call once (A12)", async () => {
    const at = place()
    try {
      scripted(at, [
        { steps: [{ call: { name: "run_shell", arguments: { command: appending } } }] },
        { repeat: true, steps: [{ say: "Done." }] }
      ])
      const serve = ["serve", "--listen", "127.0.0.1:0"]
      const first = await start(at, serve)
      await first.seen("The token to log in with")
      const before = reached(at)
      await ask(before, "/v1/sessions", { id: "s1" })
      await ask(before, "/v1/sessions/s1/commands", { _tag: "SubmitPrompt", task: "t1", prompt: "go" })
      await seen(before, "/v1/sessions/s1/events", '"ApprovalRequested"')
      const open = await ask(before, "/v1/approvals")
      const { digest, id } = open.json.approvals[0].request
      first.kill("SIGKILL")
      await first.ended
      fs.rmSync(path.join(at.env["TOLLGATE_HOME"]!, "servers"), { recursive: true })
      scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
      const second = await start(at, serve)
      await second.seen("The token to log in with")
      const after = reached(at)
      assert.notStrictEqual(after.token, before.token)
      assert.strictEqual((await ask({ ...after, token: before.token }, "/v1/approvals")).status, 401)
      const again = await ask(after, "/v1/approvals")
      assert.deepStrictEqual(
        again.json.approvals.map(({ request }: { readonly request: { readonly id: string } }) => request.id),
        [id]
      )
      const answer = () => ask(after, `/v1/approvals/${id}`, { digest, decision: "approve" })
      const answers = await Promise.all([answer(), answer()])
      const [won, lost] = answers.map(({ status }) => status).sort()
      assert.strictEqual(won, 200)
      assert.include([409, 410], lost)
      await seen(after, "/v1/sessions/s1/events", '"TaskCompleted"')
      assert.strictEqual(fs.readFileSync(path.join(at.work, "ran.txt"), "utf8"), "x")
      second.kill("SIGTERM")
      const { code, stderr } = await second.ended
      assert.strictEqual(code, 143)
      assert.notInclude(stderr, "Error")
      assert.deepStrictEqual(fs.readdirSync(path.join(at.env["TOLLGATE_HOME"]!, "servers")), [])
    } finally {
      at.remove()
    }
  })
})
