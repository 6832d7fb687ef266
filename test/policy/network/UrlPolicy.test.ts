import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { addressKind } from "../../../src/policy/network/Address.ts"
import { defaultRules, NetworkRules } from "../../../src/policy/network/NetworkRules.ts"
import { judgeAddress, judgeUrl } from "../../../src/policy/network/UrlPolicy.ts"

const rules = Schema.decodeSync(NetworkRules)
const ruleOf = (url: string, with_: typeof NetworkRules.Encoded = {}) =>
  Either.match(judgeUrl(url, rules(with_)), { onLeft: (_) => _.rule, onRight: () => "allow" })

const reserved = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4]
] as const

/** An address of a range that is not public. */
const privateAddress = FastCheck.tuple(FastCheck.constantFrom(...reserved), FastCheck.nat(0xffff_ffff)).map(
  ([[base, bits], noise]) => (base + (noise % 2 ** (32 - bits))) >>> 0
)

const octets = (address: number) => [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255]

const hexadecimal = (value: number) => value.toString(16)

/** The ways to write an IPv4 address into a URL. */
const spellings: ReadonlyArray<(address: number) => string> = [
  (_) => octets(_).join("."),
  (_) => `${_}`,
  (_) => `0x${hexadecimal(_)}`,
  (_) => `0${_.toString(8)}`,
  (_) =>
    octets(_)
      .map((octet) => `0x${hexadecimal(octet)}`)
      .join("."),
  (_) =>
    octets(_)
      .map((octet) => `0${octet.toString(8)}`)
      .join("."),
  (_) => `${_ >>> 24}.${_ & 0xff_ffff}`,
  (_) => `${octets(_).slice(0, 2).join(".")}.${_ & 0xffff}.`,
  (_) => octets(_).join("。"),
  (_) => [...octets(_).join(".")].map((digit) => `%${hexadecimal(digit.charCodeAt(0))}`).join(""),
  (_) => `[::ffff:${octets(_).join(".")}]`,
  (_) => `[::${octets(_).join(".")}]`,
  (_) => `[64:ff9b::${hexadecimal(_ >>> 16)}:${hexadecimal(_ & 0xffff)}]`,
  (_) => `[2002:${hexadecimal(_ >>> 16)}:${hexadecimal(_ & 0xffff)}::]`
]

describe("judgeUrl", () => {
  it("refuses an address that is not public however it is written (S4)", () => {
    FastCheck.assert(
      FastCheck.property(privateAddress, FastCheck.constantFrom(...spellings), (address, spell) => {
        assert.notStrictEqual(ruleOf(`http://${spell(address)}/`), "allow", spell(address))
      }),
      { numRuns: 2000 }
    )
  })

  it("reads an opt-in as one host and one port, and never opens metadata with it (S4)", () => {
    const optIn = ["127.0.0.1:3000", "[::1]:3000", "168.63.129.16:80", "[fd00:ec2::254]:80", "[::ffff:a9fe:a9fe]:80"]
    assert.strictEqual(ruleOf("http://127.0.0.1:3000/", { optIn }), "allow")
    assert.strictEqual(ruleOf("http://2130706433:3000/", { optIn }), "allow")
    assert.strictEqual(ruleOf("http://[::1]:3000/", { optIn }), "allow")
    assert.strictEqual(ruleOf("http://127.0.0.1:3001/", { optIn }), "network/private-address")
    assert.strictEqual(ruleOf("http://127.0.0.2:3000/", { optIn }), "network/private-address")
    for (const url of ["http://168.63.129.16/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/"]) {
      assert.strictEqual(ruleOf(url, { optIn }), "network/metadata")
    }
  })

  it("does not open a name because the address behind it is opened (S4)", () => {
    const opened = rules({ optIn: ["127.0.0.1:3000"] })
    assert.strictEqual(judgeAddress("127.0.0.1", "rebound.example", 3000, opened).decision, "deny")
    assert.strictEqual(judgeAddress("127.0.0.1", "127.0.0.1", 3000, opened).decision, "allow")
  })

  it("lets the deny list win over the allow list and over an opt-in (S4)", () => {
    const both = { allowHosts: ["localhost"], denyHosts: ["localhost"], optIn: ["localhost:3000"] }
    assert.strictEqual(ruleOf("http://localhost:3000/", both), "network/denied-host")
    assert.strictEqual(ruleOf("http://localhost:3000/", { ...both, denyHosts: [] }), "allow")
  })

  it("denies the names below a denied one, but not those that only end alike (S4)", () => {
    const denyHosts = ["evil.example", "*.part.example", "BÜCHER.example."]
    assert.strictEqual(ruleOf("https://evil.example./", { denyHosts }), "network/denied-host")
    assert.strictEqual(ruleOf("https://a.b.evil.example/", { denyHosts }), "network/denied-host")
    assert.strictEqual(ruleOf("https://notevil.example/", { denyHosts }), "allow")
    assert.strictEqual(ruleOf("https://a.part.example/", { denyHosts }), "network/denied-host")
    assert.strictEqual(ruleOf("https://part.example/", { denyHosts }), "allow")
    assert.strictEqual(ruleOf("https://xn--bcher-kva.example/", { denyHosts }), "network/denied-host")
  })

  it("reads an allowed name as that host alone (S4)", () => {
    assert.strictEqual(ruleOf("https://a.docs.example/", { allowHosts: ["docs.example"] }), "network/host-not-allowed")
    assert.strictEqual(
      ruleOf("https://docs.example:8443/", { allowHosts: ["docs.example:443"] }),
      "network/host-not-allowed"
    )
  })

  it.each([
    ["https://user@example.com/", "network/credentials"],
    ["https://@example.com/", "network/credentials"],
    ["https://example.com\n/", "network/raw-character"],
    [" https://example.com/", "network/raw-character"],
    ["https:\\\\example.com/", "network/ambiguous"],
    ["https:example.com", "network/ambiguous"],
    ["https:///example.com", "network/ambiguous"],
    ["https://example.com/a\\b", "network/ambiguous"],
    ["https://example..com/", "network/host-invalid"],
    ["https://exam$ple.com/", "network/host-invalid"],
    ["https://printer.local/", "network/local-name"],
    ["http://metadata.google.internal/", "network/metadata"],
    ["gopher://example.com/", "network/scheme"],
    ["https://example.com:22/", "network/port"],
    [`https://example.com/${"a".repeat(9000)}`, "network/too-long"],
    ["https://example.com/?q=a\\b c#d\\e", "allow"]
  ])("judges %j by its own rule (S4)", (url, rule) => assert.strictEqual(ruleOf(url), rule))

  it.each([
    "http://localhost:3000/x",
    "http://printer.local/",
    "http://127.0.0.1:8080/",
    "http://[::1]:3000/",
    "http://10.0.0.1/",
    "https://example.com:9000/"
  ])("says of %s what opens it, which does (S4)", (url) => {
    const refused = judgeUrl(url, rules({}))
    assert(Either.isLeft(refused))
    const [, entry = ""] = /; to allow it, add (\S+) to network\.open$/.exec(refused.left.reason) ?? []
    assert.isTrue(Either.isRight(judgeUrl(url, rules({ optIn: [entry] }))), refused.left.reason)
  })

  it("refuses rules with an entry that names no host (S4)", () => {
    for (const entry of ["", "*.", "https://a.example", "a.example/x", "a b", "a.example:0", "a.*.example", "*:*"]) {
      assert.throws(() => rules({ denyHosts: [entry] }), /names no host/)
    }
    for (const entry of ["*:80", "a.example", "*.a.example:80"])
      assert.throws(() => rules({ optIn: [entry] }), /opt-in/)
    assert.deepStrictEqual(Schema.encodeSync(NetworkRules)(rules({ denyHosts: ["*.A.example:80", "*"] })).denyHosts, [
      "*.a.example:80",
      "*"
    ])
  })
})

describe("addressKind", () => {
  it.each([
    ["93.184.216.34", "public"],
    ["2606:4700:4700::1111", "public"],
    ["::ffff:93.184.216.34", "public"],
    ["192.0.0.192", "metadata"],
    ["fe80::a9fe:a9fe%eth0", "metadata"],
    ["64:ff9b:1::a9fe:a9fe", "metadata"],
    ["::a9fe:a9fe", "metadata"],
    ["::7f00:1", "not global"],
    ["4000::1", "not global"],
    ["3fff::1", "reserved"],
    ["5f00::1", "segmentRouting"],
    ["0x7f.1", "invalid"],
    ["localhost", "invalid"]
  ])("calls %s %s (S4)", (address, kind) => assert.strictEqual(addressKind(address), kind))

  it("calls both edges of every reserved IPv4 range what they are, and their neighbours public (S4)", () => {
    for (const [base, bits] of reserved) {
      const last = base + 2 ** (32 - bits) - 1
      for (const address of [base, last]) assert.notStrictEqual(addressKind(octets(address >>> 0).join(".")), "public")
    }
    for (const neighbour of [
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0"
    ]) {
      assert.strictEqual(judgeAddress(neighbour, "host.example", 443, defaultRules).decision, "allow")
    }
  })
})
