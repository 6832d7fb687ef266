import * as crypto from "node:crypto"
import type { RedactorShape } from "./Redactor.ts"

/** Characters of an id; those of providers have up to 64. */
const longest = 200

/**
 * The id of a call as everything stores, shows and sends it: what a model or a file gave, or where that holds a secret or is
 * too long to be an id, one that is made of its digest. The same id gives the same.
 */
export const plainId = ({ text }: Pick<RedactorShape, "text">, id: string): string =>
  id.length <= longest && text(id) === id
    ? id
    : `call_${crypto.createHash("sha256").update(id).digest("hex").slice(0, 32)}`
