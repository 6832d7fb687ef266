// @effect-diagnostics asyncFunction:off newPromise:off - a server for real processes
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface ModelServer {
  readonly port: number
  readonly baseUrl: string
  /** The requests, by method and path, with the model that was asked for. */
  readonly seen: ReadonlyArray<string>
  /** The bodies of the requests that had one. */
  readonly bodies: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface ModelServerOptions {
  /** If unset, it lists none. */
  readonly models?: ReadonlyArray<string>
  /** What it says. */
  readonly answer?: string
  /** The key that it wants. */
  readonly key?: string
  /** It never answers. */
  readonly silent?: boolean
  /** The tokens that it counts, if it says so. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** A server on loopback that speaks as much of Chat Completions and embeddings as a short talk needs; it rejects a model that it does not list. */
export const modelServer = async ({
  answer = "ready",
  key,
  models,
  silent = false,
  usage
}: ModelServerOptions = {}): Promise<ModelServer> => {
  const seen: Array<string> = []
  const bodies: Array<string> = []
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    const reply = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const { input = [], model } = (body === "" ? {} : JSON.parse(body)) as {
        readonly model?: string
        readonly input?: ReadonlyArray<string>
      }
      if (body !== "") bodies.push(body)
      seen.push([request.method, request.url, ...(model === undefined ? [] : [model])].join(" "))
      if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
        return reply(401, { error: { message: "Incorrect API key provided." } })
      }
      if (request.url === "/v1/models") {
        return models === undefined
          ? reply(404, { error: { message: "not found" } })
          : reply(200, { data: models.map((id) => ({ id })) })
      }
      if (model === undefined || models?.includes(model) === false) {
        return reply(404, { error: { message: `The model ${model} does not exist.` } })
      }
      if (silent) return
      if (request.url === "/v1/embeddings") {
        return reply(200, { data: input.map((text, index) => ({ index, embedding: [1, text.length] })), usage })
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const parts = [{ delta: { content: answer } }, { delta: {}, finish_reason: "stop" }]
      if (usage !== undefined) response.write(`data: ${JSON.stringify({ model, choices: [], usage })}\n\n`)
      for (const part of parts)
        response.write(`data: ${JSON.stringify({ model, choices: [{ index: 0, ...part }] })}\n\n`)
      response.end("data: [DONE]\n\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    seen,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
