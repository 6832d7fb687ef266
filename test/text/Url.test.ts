import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as path from "node:path"
import { canonicalHost } from "../../src/policy/network/HostPattern.ts"
import { defaultRules } from "../../src/policy/network/NetworkRules.ts"
import { judgeUrl } from "../../src/policy/network/UrlPolicy.ts"
import { metadataHost } from "../../src/policy/shell/MetadataHosts.ts"
import * as Url from "../../src/text/Url.ts"

describe("a URL of Latin-1", () => {
  it("is read the ten thousandth time as it was the first (S3, S4)", () => {
    for (let round = 0; round < 10_000; round++) {
      assert.strictEqual(Url.parsed("https://b\u00fccher.example/")?.hostname, "xn--bcher-kva.example")
      assert.isTrue(Either.isRight(judgeUrl("https://example.com/\u00e9", defaultRules)))
      assert.isDefined(canonicalHost("b\u00fccher.example"))
      assert.isTrue(metadataHost("//a\u00e9@169.254.169.254/", true))
    }
    assert.isUndefined(Url.parsed("b\u00fccher.example"))
  })

  it("is read nowhere by what reads it otherwise once it is compiled (S4)", () => {
    for (const file of fs.readdirSync("src", { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || file === path.join("text", "Url.ts")) continue
      assert.notInclude(fs.readFileSync(path.join("src", file), "utf8"), "URL.canParse", file)
    }
  })
})
