// @effect-diagnostics asyncFunction:off newPromise:off - drives real programs from outside
import * as http from "node:http"
import type * as net from "node:net"

/** Passes requests on with a token, which the suite has no way to send; nothing else of them is changed. */
export const relay = async ({ port, token }: { readonly port: number; readonly token: string }) => {
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const onward = http.request(
      { host: "127.0.0.1", port, path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        answer.pipe(response)
      }
    )
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
