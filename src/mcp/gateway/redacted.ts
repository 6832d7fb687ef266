import { redactJsonWith } from "../../redaction/RedactJson.ts"
import type { RedactorShape } from "../../redaction/Redactor.ts"
import { deepest } from "../JsonRpc.ts"

/** Whether the protocol has base64 under this name: of an image, a sound, or a resource. */
const isBase64 = (name: string, within: object): boolean =>
  name === "data"
    ? "type" in within && (within.type === "image" || within.type === "audio")
    : name === "blob" && "uri" in within

/** What stands in front of the base64 of a `data:` URI, as icons have. */
const dataUri = /^data:[\w/+.;=-]{0,200};base64,/

/** What a server gives as a client may have it: the whole of it without secrets, bytes as bytes. */
export const redacted =
  ({ bytes, jsonText }: Pick<RedactorShape, "bytes" | "jsonText">) =>
  <A>(value: A): A =>
    redactJsonWith(jsonText, value, {
      depth: deepest,
      values: Infinity,
      within: (name, text, object) => {
        if (isBase64(name, object)) return bytes(text)
        const [head] = dataUri.exec(text) ?? []
        return head === undefined ? undefined : head + bytes(text.slice(head.length))
      }
    }) as A
