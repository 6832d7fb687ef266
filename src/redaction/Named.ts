import { isPlaceName } from "./Assigned.ts"
import type { Separator } from "./Logins.ts"
import { isAccounts, secretName } from "./SecretName.ts"
import { header, tail } from "./Wording.ts"

/** A name of a secret that was read, waiting for its value. */
export interface Named {
  readonly kind: string
  /** `""` until the sign between name and value was there. */
  readonly sign: string
  /** The name is that of an element, whose value must follow at once. */
  readonly element: boolean
  /** The quote that was open where the name stood. */
  readonly within: string | undefined
  /** Of its value, the secret is what follows this. */
  readonly pair?: Separator | undefined
  /** Where its value is a path, it is no secret. */
  readonly place?: boolean
}

/** What the end of a piece names, whose value may come next; `last` is what stood before the piece, `within` the open quote. */
export const namedAtEnd = (text: string, last: string, within: string | undefined): Named | undefined => {
  const [whole, name = "", sign = ""] = tail.exec(text.slice(-84)) ?? []
  const kind =
    whole === undefined || sign === "::" || isAccounts(text, text.length - sign.length) ? undefined : secretName(name)
  if (kind === undefined) return undefined
  const flag = sign === "" && /^--?\w/.test(text) && name === text
  const element = last === "<" && name === text
  const place = name + sign === text && isPlaceName(name)
  return { kind, sign: flag ? " " : sign, element, within, place }
}

/** A header in the middle of a piece, and where its value begins. */
export const headerIn = (
  text: string,
  within: string | undefined
): { readonly at: number; readonly named: Named } | undefined => {
  const start = header.exec(text)
  if (!start) return undefined
  const kind = secretName(start[1]!) ?? "authorization"
  return { at: start.index + start[0].length, named: { kind, sign: ":", element: false, within } }
}
