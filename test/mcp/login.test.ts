// @effect-diagnostics asyncFunction:off globalFetch:off newPromise:off - a browser and servers beside real processes
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import type * as net from "node:net"
import * as path from "node:path"
import { type Place, place, scripted, start, tollgate } from "../cli/command.ts"
import { until } from "../support/until.ts"

/** How an authorization server misbehaves. */
interface Plan {
  /** Members that take the place of those of its metadata, by its own address. */
  readonly metadata?: (origin: string) => object
  readonly resource?: (origin: string) => object
  readonly registered?: object
  /** What the browser brings back besides, or instead. */
  readonly callback?: (query: URLSearchParams) => void
  /** What stands at the end of its tokens. */
  readonly ending?: string
  /** Where the token endpoint sends its clients instead of an answer. */
  readonly tokensAt?: string
}

const form = (request: http.IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => (text += part))
    request.once("end", () => resolve(text))
  })

/** An MCP server with an authorization server of its own, on a port of this machine. */
const serving = async (plan: Plan = {}) => {
  const challenges = new Map<string, string>()
  const seen = { codes: [] as Array<string>, refreshed: 0, revoked: 0, bearer: [] as Array<string | undefined> }
  const secrets: Array<string> = []
  const secret = (kind: string) => {
    const made = `${kind}-${crypto.randomBytes(12).toString("hex")}`
    secrets.push(made)
    return made
  }
  let access = ""
  let refresh = ""
  let isRenewable = true
  const server = http.createServer((request, response) => {
    void (async () => {
      const origin = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
      const url = new URL(request.url ?? "", origin)
      const json = (status: number, body: unknown, headers: object = {}) => {
        response.writeHead(status, { "content-type": "application/json", ...headers })
        response.end(JSON.stringify(body))
      }
      const tokens = () => {
        access = secret("access")
        refresh = secret("refresh")
        const { ending = "" } = plan
        json(200, {
          access_token: `${access}${ending}`,
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: `${refresh}${ending}`
        })
      }
      switch (url.pathname) {
        case "/.well-known/oauth-protected-resource/mcp":
          return json(200, {
            resource: `${origin}/mcp`,
            authorization_servers: [origin],
            scopes_supported: ["read"],
            ...plan.resource?.(origin)
          })
        case "/.well-known/oauth-authorization-server":
          return json(200, {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            revocation_endpoint: `${origin}/revoke`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            authorization_response_iss_parameter_supported: true,
            ...plan.metadata?.(origin)
          })
        case "/register":
          return json(201, { ...JSON.parse(await form(request)), client_id: "client-1", ...plan.registered })
        case "/authorize": {
          const code = secret("code")
          challenges.set(code, url.searchParams.get("code_challenge") ?? "")
          const back = new URL(url.searchParams.get("redirect_uri") ?? "")
          back.searchParams.set("code", code)
          back.searchParams.set("state", url.searchParams.get("state") ?? "")
          back.searchParams.set("iss", origin)
          plan.callback?.(back.searchParams)
          response.writeHead(302, { location: back.href })
          return response.end()
        }
        case "/token": {
          if (plan.tokensAt !== undefined) {
            response.writeHead(307, { location: plan.tokensAt })
            return response.end()
          }
          const given = new URLSearchParams(await form(request))
          if (given.get("grant_type") === "refresh_token") {
            if (!isRenewable || given.get("refresh_token") !== refresh)
              return json(400, { error: "invalid_grant", error_description: `${refresh} is not known` })
            seen.refreshed++
            return tokens()
          }
          const code = given.get("code") ?? ""
          seen.codes.push(code)
          const verified = crypto
            .createHash("sha256")
            .update(given.get("code_verifier") ?? "")
            .digest("base64url")
          if (verified !== challenges.get(code)) return json(400, { error: "invalid_grant" })
          return tokens()
        }
        case "/revoke":
          seen.revoked++
          return json(200, {})
        case "/mcp": {
          const { authorization } = request.headers
          seen.bearer.push(authorization)
          if (access === "" || authorization !== `Bearer ${access}`) {
            const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
            return json(401, {}, { "www-authenticate": `Bearer resource_metadata="${metadata}"` })
          }
          if (request.method !== "POST") return json(405, {})
          const { id, method, params } = JSON.parse(await form(request))
          if (id === undefined) {
            response.writeHead(202)
            return response.end()
          }
          const answer = (result: unknown) => json(200, { jsonrpc: "2.0", id, result })
          if (method === "initialize")
            return answer({
              protocolVersion: params.protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: "hub", version: "1" }
            })
          if (method === "tools/list") return answer({ tools: [{ name: "echo", inputSchema: { type: "object" } }] })
          if (method === "tools/call")
            return answer({ content: [{ type: "text", text: `you are ${authorization}, ${refresh}` }] })
          return json(200, { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } })
        }
        default:
          return json(404, {})
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/mcp`,
    seen,
    secrets,
    /** The token that the server takes counts no more. */
    expire: (renewable: boolean) => {
      access = "none"
      isRenewable = renewable
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

describe("tollgate mcp login", () => {
  let at: Place
  let closing: Array<() => void> = []
  beforeEach(() => {
    at = place()
  })
  afterEach(() => {
    for (const close of closing) close()
    closing = []
    at.remove()
  })
  const hub = async (plan?: Plan) => {
    const served = await serving(plan)
    closing.push(served.close)
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
    const config = { mcp: { servers: { hub: { url: served.url } } } }
    fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), JSON.stringify(config))
    return served
  }
  /** Follows the address that the command shows as a browser does, and gives what comes of the command. */
  const loggedIn = async (visit: (url: string) => Promise<unknown> = (url) => fetch(url)) => {
    const running = await start(at, ["mcp", "login", "hub", "--no-browser"])
    await Promise.race([running.seen("code_challenge_method=S256"), running.ended])
    const [, url = "http://127.0.0.1:9"] = /^ {2}(http:\/\/\S+)$/m.exec(running.said()) ?? []
    await visit(url)
    return running.ended
  }
  const files = (): ReadonlyArray<string> => {
    const found = fs.readdirSync(at.home, { recursive: true, encoding: "utf8" })
    return found.filter((name) => name.endsWith(".login.json")).map((name) => path.join(at.home, name))
  }

  it("shows the address in a browser, also where nothing is known of any server yet (G19)", async () => {
    await hub()
    const bin = path.join(at.home, "bin")
    fs.mkdirSync(bin)
    for (const opener of ["open", "xdg-open"])
      fs.writeFileSync(path.join(bin, opener), '#!/bin/sh\ncp "$1" "${0%/*}/opened"\n', { mode: 0o755 })
    const { PATH = "" } = at.env
    const running = await start({ ...at, env: { ...at.env, PATH: `${bin}:${PATH}` } }, ["mcp", "login", "hub"])
    const opened = path.join(bin, "opened")
    let isOver = false
    void running.ended.then(() => (isOver = true))
    await until(() => isOver || fs.existsSync(opened))
    const [, url = "http://127.0.0.1:9"] = /^ {2}(http:\/\/\S+)$/m.exec(running.said()) ?? []
    await fetch(url)
    const { code, stderr } = await running.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(fs.readFileSync(opened, "utf8"), "code_challenge_method=S256")
  })

  it("logs in with PKCE in a browser, keeps the tokens to the user, renews and forgets them (G19)", async () => {
    const served = await hub()
    const refused = await tollgate(at, ["mcp", "trust", "hub", "--yes"])
    assert.notStrictEqual(refused.code, 0)
    assert.include(refused.stderr, "tollgate mcp login hub")
    const { code, stderr, stdout } = await loggedIn()
    assert.strictEqual(code, 0, stderr)
    const [file = "", ...others] = files()
    assert.lengthOf(others, 0)
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    const approved = await tollgate(at, ["mcp", "trust", "hub", "--yes"])
    assert.strictEqual(approved.code, 0, approved.stderr)
    assert.include(approved.stdout, "1 approved")
    assert.include((await tollgate(at, ["mcp", "show", "hub"])).stdout, "logged in at http://127.0.0.1:")
    scripted(
      at,
      [{ steps: [{ call: { name: "hub__echo", arguments: {} } }] }, { repeat: true, steps: [{ say: "Done." }] }],
      {
        mcp: { servers: { hub: { url: served.url } } }
      }
    )
    const ran = await tollgate(at, ["run", "--jsonl", "--dangerously-allow-all", "echo"])
    assert.include(ran.stdout, "you are Bearer")
    served.expire(true)
    assert.strictEqual((await tollgate(at, ["mcp", "diff", "hub"])).code, 0)
    assert.strictEqual(served.seen.refreshed, 1)
    served.expire(false)
    const over = await tollgate(at, ["mcp", "diff", "hub"])
    assert.include(over.stderr, "its login could not be renewed; tollgate mcp login hub logs you in")
    const forgotten = await tollgate(at, ["mcp", "logout", "hub"])
    assert.strictEqual(forgotten.code, 0, forgotten.stderr)
    assert.deepStrictEqual([served.seen.revoked, files().length], [1, 0])
    const said = [
      stdout,
      stderr,
      ...[refused, approved, ran, over, forgotten].flatMap((one) => [one.stdout, one.stderr])
    ]
    for (const secret of served.secrets) assert.isFalse(said.join("").includes(secret), secret)
  })

  it("is ended at the server that is removed (G19)", async () => {
    const served = await hub()
    assert.strictEqual((await loggedIn()).code, 0)
    const removed = await tollgate(at, ["mcp", "remove", "hub"])
    assert.strictEqual(removed.code, 0, removed.stderr)
    assert.include(removed.stdout, "Logged out of hub.")
    assert.deepStrictEqual([served.seen.revoked, files().length], [1, 0])
  })

  it("takes no answer that is not the one it waits for (G19)", async () => {
    await hub()
    let answers: ReadonlyArray<number> = []
    const { code } = await loggedIn(async (url) => {
      const back = new URL(new URL(url).searchParams.get("redirect_uri")!)
      const ask = async (change: (to: URL) => void, init: RequestInit = {}) => {
        const to = new URL(back)
        change(to)
        return (await fetch(to, init)).status
      }
      answers = [
        await ask((to) => to.searchParams.set("code", "stolen")),
        await ask((to) => (to.search = "?code=stolen&state=guessed")),
        await ask((to) => (to.pathname = "/other")),
        await ask((to) => (to.hostname = "localhost")),
        await ask((to) => (to.search = "?state=guessed"), { method: "POST" })
      ]
      return fetch(url)
    })
    assert.deepStrictEqual(answers, [400, 400, 404, 404, 405])
    assert.strictEqual(code, 0)
  })

  const hostile: ReadonlyArray<readonly [name: string, plan: Plan, words: string, browsed: boolean]> = [
    ["an issuer that is another's", { metadata: () => ({ issuer: "https://other.example" }) }, "another issuer", false],
    ["metadata of a megabyte", { metadata: () => ({ filling: "x".repeat(1 << 20) }) }, "more than 256 KiB", false],
    ["no PKCE", { metadata: () => ({ code_challenge_methods_supported: ["plain"] }) }, "PKCE", false],
    [
      "endpoints that are not encrypted",
      { metadata: () => ({ token_endpoint: "http://tokens.example/token" }) },
      "not encrypted",
      false
    ],
    [
      "an address that is not public",
      { resource: () => ({ authorization_servers: ["https://10.0.0.7"] }) },
      "10.0.0.7",
      false
    ],
    [
      "a resource that is another's",
      { resource: () => ({ resource: "https://other.example/mcp" }) },
      "another resource",
      false
    ],
    [
      "another address to come back to",
      { registered: { redirect_uris: ["https://other.example/callback"] } },
      "another address to come back to",
      false
    ],
    [
      "an answer in another's name",
      { callback: (query) => query.set("iss", "https://other.example") },
      "another issuer",
      true
    ],
    ["an answer without its name", { callback: (query) => query.delete("iss") }, "another issuer", true],
    ["a token in the address", { callback: (query) => query.set("access_token", "t") }, "token in the address", true],
    [
      "a browser sent to an address that is not public",
      { metadata: () => ({ authorization_endpoint: "https://169.254.169.254/authorize" }) },
      "169.254.169.254",
      false
    ],
    ["tokens with a line break", { ending: "\r\nX-Evil: 1" }, "no text that a request can carry", true],
    ["a token endpoint that leads elsewhere", { tokensAt: "http://127.0.0.1:9/token" }, "redirects elsewhere", true]
  ]
  it.each(hostile)("keeps nothing of a server with %s (G19)", async (_, plan, words, browsed) => {
    const served = await hub(plan)
    const ended = browsed ? await loggedIn() : await tollgate(at, ["mcp", "login", "hub", "--no-browser"])
    assert.notStrictEqual(ended.code, 0)
    assert.include(ended.stderr.replaceAll(/\s+/g, " "), words)
    assert.deepStrictEqual([files().length, served.seen.codes.length - (plan.ending === undefined ? 0 : 1)], [0, 0])
    for (const secret of served.secrets) assert.isFalse(`${ended.stdout}${ended.stderr}`.includes(secret))
  })
})
