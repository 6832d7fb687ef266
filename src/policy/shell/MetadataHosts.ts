import * as Url from "../../text/Url.ts"

const hosts = new Set(
  "169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 [fd00:ec2::254] [fd00:ec2::23] [fd20:ce::254] metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal".split(
    " "
  )
)

const address = /(?:^|[\s=@/'"(])(?:https?:)?\/\/([^\s/?#'"]+)/i

/** Whether a word names a host that serves a cloud machine's metadata, in any spelling that a URL allows. */
export const metadataHost = (word: string, isClient: boolean): boolean => {
  if (!isClient && !word.includes("//")) return false
  if (word.length > 512) return /169\.254\.169\.254|metadata\.google\.internal/i.test(word)
  const host =
    address.exec(word)?.[1] ?? (isClient && /^[\w.:[\]%-]+(?:\/|$)/.test(word) ? word.split("/")[0] : undefined)
  if (host === undefined || !/metadata|instance-data|%|(?:^|@)[[\d]/i.test(host)) return false
  const name = Url.parsed(`http://${host}`)?.hostname.replace(/\.$/, "")
  if (name === undefined) return false
  return hosts.has(name) || mapped(name)
}

/** An IPv4 address of the link-local range inside an IPv6 one. */
const mapped = (name: string): boolean => /^\[::(?:ffff:)?a9fe:a9fe\]$/.test(name)
