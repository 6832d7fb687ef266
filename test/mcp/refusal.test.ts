import { assert, describe, it } from "@effect/vitest"
import { SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client"
import { identity } from "effect/Function"
import { words } from "../../src/mcp/Attempt.ts"

describe("an answer of a server that is not what the protocol has", () => {
  it("is told of in one sentence, whatever its library says of it (X2, U13)", () => {
    const issue = (path: ReadonlyArray<string | number>, message: string) => ({ expected: "array", path, message })
    const told = (issues: unknown) =>
      words(new Error(`Invalid result for tools/call: ${JSON.stringify(issues, null, 2)}`), identity)
    const one = issue(["content", 0, "type"], "Invalid input")
    const start = "its answer to tools/call is not what the protocol has"
    assert.strictEqual(told([one]), `${start} at content.0.type: Invalid input`)
    assert.strictEqual(told([issue([], "Expected object"), one, one]), `${start}: Expected object, and 2 more`)
    assert.strictEqual(
      words(new Error("Invalid result for tools/call: [cut"), identity),
      "Invalid result for tools/call: [cut"
    )
    assert.notInclude(told([issue(["a\u001b[2J"], "x")]), "\u001b")
  })

  it("names the status of HTTP, which its library leaves out (X2, U13)", () => {
    const told = (status: number, statusText: string, text: string) =>
      words(
        new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
          status,
          statusText,
          text
        }),
        identity
      )
    assert.strictEqual(told(500, "Internal Server Error", ""), "it has answered 500 Internal Server Error")
    assert.strictEqual(
      told(502, "", "the\u001b[2J upstream is gone"),
      "it has answered 502: the\\u{1b}[2J upstream is gone"
    )
  })
})
