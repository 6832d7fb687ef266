import * as crypto from "node:crypto"

/** Characters of the name of a tool that every provider takes. */
const longest = 64

const marked = (name: string, room: number): string => {
  const mark = crypto.createHash("sha256").update(name).digest("hex").slice(0, 6)
  return `${name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, room - mark.length - 1)}_${mark}`
}

/**
 * The name that a tool or a prompt of a server has here: `server__name`. One that is too long, or has other characters than
 * providers take, ends in six of its digest.
 */
export const qualified = (server: string, name: string): string => {
  const room = longest - server.length - 2
  return `${server}__${name.length <= room && /^[A-Za-z0-9_-]+$/.test(name) ? name : marked(name, room)}`
}
