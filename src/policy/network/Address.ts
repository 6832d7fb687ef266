import ipaddr from "ipaddr.js"

/** `public` may be reached, `metadata` never; every other kind names the use of the address. */
export type AddressKind = "public" | "metadata" | "invalid" | (string & {})

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Read when the first address is judged; most commands judge none. */
const network = (cidr: string): (() => Network) => {
  let read: Network | undefined
  return () => (read ??= ipaddr.parseCIDR(cidr))
}

/**
 * Cloud metadata and wire servers, and link-local space, where most of them live. Sources: the vendors' instance metadata
 * pages (AWS, GCP, Azure, Alibaba, Oracle, OpenStack, Tencent, Linode, Scaleway).
 */
const metadata = [
  "169.254.0.0/16",
  "168.63.129.16/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "fd00:ec2::/32",
  "fd20:ce::/32",
  "fd00:c1::/32",
  "fd00:42::42/128",
  "fd00:a9fe:a9fe::/48",
  "fe80::/10"
].map(network)

/** The only space that IANA hands out for the public IPv6 Internet. */
const global6 = network("2000::/3")

/** What a DNS64 answers for a host without IPv6; RFC 6052 lets it stand for global IPv4 addresses alone. */
const translated = network("64:ff9b::/96")

/** IPv4 addresses that an IPv6 address stands for: compatible, mapped, translated (RFC 6145, 6052, 8215), 6to4. */
const embedded: ReadonlyArray<readonly [() => Network, (bytes: ReadonlyArray<number>) => ReadonlyArray<number>]> = [
  [network("::/96"), (bytes) => bytes.slice(12)],
  [network("::ffff:0:0/96"), (bytes) => bytes.slice(12)],
  [network("::ffff:0:0:0/96"), (bytes) => bytes.slice(12)],
  [network("64:ff9b:1::/48"), (bytes) => bytes.slice(12)],
  [network("2002::/16"), (bytes) => bytes.slice(2, 6)]
]

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, range: () => Network): boolean => {
  const [base, bits] = range()
  return address.kind() === base.kind() && address.match(base, bits)
}

const isMetadata = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  metadata.some((range) => within(address, range)) ||
  embedded.some(
    ([range, octets]) => within(address, range) && isMetadata(new ipaddr.IPv4([...octets(address.toByteArray())]))
  )

/** The address that is connected to in the end, where an IPv6 address only wraps it. */
const unwrapped = (text: string): ipaddr.IPv4 | ipaddr.IPv6 => {
  const address = ipaddr.process(text)
  return within(address, translated) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

/** Judges one address, without brackets; anything that is not an address of either family is `invalid`. */
export const addressKind = (text: string): AddressKind => {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return "invalid"
  const address = unwrapped(text)
  if (isMetadata(address)) return "metadata"
  const range = address.range()
  if (range !== "unicast") return range
  return address.kind() === "ipv6" && !within(address, global6) ? "not global" : "public"
}
