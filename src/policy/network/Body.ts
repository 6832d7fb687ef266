import { PassThrough, pipeline, type Transform } from "node:stream"
import * as zlib from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { deny, type Verdict } from "../Verdict.ts"
import { FetchFailed } from "./FetchError.ts"
import type { NetworkRules } from "./NetworkRules.ts"
import type { WireReply } from "./Wire.ts"
import { duration } from "../../text/duration.ts"

/** The encodings that are requested and understood. */
export const acceptEncoding = "gzip, deflate, br"

const decoders: Readonly<Record<string, () => Transform>> = {
  "": () => new PassThrough(),
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress()
}

const encodingOf = (reply: WireReply): string =>
  [reply.headers["content-encoding"] ?? ""]
    .flat()
    .join(",")
    .split(",")
    .map((_) => _.trim().toLowerCase())
    .filter((_) => _ !== "" && _ !== "identity")
    .join(",")

/** At most one layer of compression, of a kind that was asked for: chains multiply what a small answer can grow to. */
export const judgeEncoding = (reply: WireReply): Verdict | undefined =>
  Object.hasOwn(decoders, encodingOf(reply))
    ? undefined
    : deny("network/content-encoding", `the encoding of the answer is not supported; use one of ${acceptEncoding}`)

/** The decoded bytes up to the limit, and whether there were more. */
export const readBody = Effect.fnUntraced(function* (
  url: string,
  reply: WireReply,
  { idleMs, maxBytes }: NetworkRules["limits"]
) {
  const make = decoders[encodingOf(reply)] ?? decoders[""]!
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* NodeStream.fromReadable<FetchFailed, Uint8Array>(
    () => pipeline(reply.body, make(), () => {}),
    (cause) =>
      new FetchFailed({ url, stage: "body", reason: "the body broke off or is not what its encoding says", cause })
  ).pipe(
    Stream.timeoutFail(
      () => new FetchFailed({ url, stage: "body", reason: `no data for ${duration(idleMs)} (limits.idleMs)` }),
      idleMs
    ),
    Stream.runForEachWhile((chunk) =>
      Effect.sync(() => {
        chunks.push(chunk)
        size += chunk.byteLength
        return size <= maxBytes
      })
    )
  )
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes }
})
