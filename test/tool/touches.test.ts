import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { lexical } from "../../src/approval/Disk.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { describing } from "../../src/approval/Subject.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { RunShell } from "../../src/tools/RunShell.ts"
import { type Configured, configured, type Declaration, touchesOf } from "../../src/tool/Touches.ts"

const tool = (touches?: Declaration<unknown>) =>
  Tool.make("remote", {
    description: "A tool of a server",
    parameters: Schema.Unknown,
    success: Schema.Void,
    ...(touches !== undefined && { touches }),
    handler: () => Schema.decodeUnknown(Schema.Void)(undefined) as never
  })

const subjects = describing("/w", "/home/u", lexical)
const verdict = (rule: Omit<Rule, "id" | "level">, touches: Declaration<unknown> | undefined, params: unknown) =>
  Either.getOrThrow(RuleBook.make([{ ...rule, id: "r", level: "user" }], { root: "/w", trusted: true })).verdict(
    "remote",
    subjects.of({ name: "remote", tool: tool(touches), params, rawParams: params })
  )?.decision

const strict = fc.constantFrom("ask" as const, "deny" as const)
const named = fc.constantFrom("remote", "*")
const pattern = fc.constantFrom(
  { path: "secrets/**" },
  { host: "evil.example" },
  { argv: ["rm"] },
  { argv: ["rm"], risk: "destructive" as const },
  { risk: "destructive" as const, path: "a" }
)

describe("what a command touches", () => {
  it("is its words and its directory: a grant holds in the background and with another limit of time (A6, A15)", () => {
    const key = (more: object) => {
      const params = { command: "npm test", ...more }
      return subjects.of({ name: "run_shell", tool: RunShell, params, rawParams: params }).key
    }
    assert.strictEqual(key({ background: true }), key({}))
    assert.strictEqual(key({ timeout: 900 }), key({}))
    assert.notStrictEqual(key({ cwd: "sub" }), key({}))
    assert.notStrictEqual(key({ command: "npm test -- -u" }), key({}))
  })
})

describe("what a foreign tool touches", () => {
  it("that are no touches count as none declared, and host and process names as what they lead to (T20)", () => {
    const rule = { tool: "*", decision: "deny", path: "**/*.pem" } as const
    for (const odd of [null, "a.pem", ["a.pem"], 1, true, Promise.resolve({}), { path: ["a.pem"] }, { paths: null }]) {
      assert.strictEqual(verdict(rule, (() => odd) as never, {}), "ask", JSON.stringify(odd))
    }
    const link = () => ({ paths: [{ path: "/proc/self/cwd/b", op: "read" as const }] })
    assert.strictEqual(verdict(rule, link, {}), "ask")
    const loopback = { tool: "*", decision: "deny", host: "127.0.0.1" } as const
    const mapped = (host: string) => () => ({ hosts: [`http://${host}/`] })
    for (const host of ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.1", "2130706433"])
      assert.strictEqual(verdict(loopback, mapped(host), {}), "deny", host)
    assert.isUndefined(verdict(loopback, mapped("[::1]"), {}))
  })

  it("is anything where nobody has said it, so that any rule by path, command or host asks (T20)", () => {
    const params = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant("/w/open.txt")))
    fc.assert(
      fc.property(strict, named, pattern, params, (decision, tool, by, given) => {
        assert.strictEqual(verdict({ decision, tool, ...by }, undefined, given), "ask")
        assert.isUndefined(verdict({ decision: "allow", tool: "remote", ...by }, undefined, given))
        assert.isUndefined(verdict({ decision, tool, ...by }, "none", given))
      })
    )
    assert.strictEqual(verdict({ decision: "allow", tool: "remote" }, undefined, {}), "allow")
    assert.strictEqual(verdict({ decision: "deny", tool: "*", risk: "destructive" }, undefined, {}), "ask")
  })

  const whole: Configured = {
    paths: [
      { parameter: "from", op: "read", below: true },
      { parameter: "to", op: "write", default: "out" }
    ],
    command: { parameter: "script", cwd: "cwd" },
    hosts: ["sites"],
    names: ["topic"],
    complete: true
  }

  it("is what the user configured for its parameters, and anything where one of them is not as it was told (T20)", () => {
    const text = fc.string({ maxLength: 8 })
    const given = fc.record(
      {
        from: fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer()),
        to: fc.oneof(text, fc.constant(null)),
        script: fc.oneof(text, fc.integer()),
        cwd: text,
        sites: fc.array(text, { maxLength: 2 }),
        topic: text,
        other: fc.anything()
      },
      { requiredKeys: [] }
    )
    const isText = (value: unknown) => typeof value === "string"
    const isTexts = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText))
    fc.assert(
      fc.property(given, (params) => {
        const { cwd, from, script, sites, to = "out", topic } = params
        const touches = touchesOf(configured(whole), params)
        const isRead = [from, to, sites, topic].every(isTexts) && isText(script) && (cwd === undefined || isText(cwd))
        assert.strictEqual(touches !== undefined, isRead)
        if (touches === undefined) return
        assert.deepStrictEqual(touches.paths, [
          ...[from].flat().map((path) => ({ path, op: "read", below: "all" })),
          { path: to, op: "write" }
        ] as typeof touches.paths)
        assert.deepStrictEqual(touches.command, { text: script as string, cwd })
        assert.deepStrictEqual([touches.hosts, touches.names], [sites, [topic]])
      })
    )
  })

  it("decides which rules mean its calls (T20, A6)", () => {
    const files = configured({ paths: [{ parameter: "target", op: "write" }], complete: true })
    const tree = configured({ paths: [{ parameter: "target", op: "read", below: true }], complete: true })
    const shell = configured({ command: { parameter: "script" }, complete: true })
    const web = configured({ hosts: ["site"], complete: true })
    const deny = { decision: "deny", tool: "*" } as const
    const cases = [
      [{ ...deny, path: "secrets/**" }, files, { target: "secrets/a" }, "deny"],
      [{ ...deny, path: "secrets/**" }, files, { target: "src/../secrets/a" }, "deny"],
      [{ ...deny, path: "secrets/**" }, files, { target: "src/a", note: "secrets/a" }, undefined],
      [{ ...deny, path: "secrets/**" }, tree, { target: "." }, "ask"],
      [{ ...deny, path: "secrets/**" }, tree, { target: "src" }, undefined],
      [{ ...deny, path: "secrets/**" }, shell, { script: "cat secrets/a" }, "deny"],
      [{ ...deny, path: "secrets/**" }, shell, { script: "tar c ." }, "ask"],
      [{ ...deny, argv: ["rm"] }, shell, { script: "nice rm x" }, "deny"],
      [{ ...deny, host: "evil.example" }, shell, { script: "curl https://a.evil.example/x" }, "deny"],
      [{ ...deny, host: "evil.example" }, shell, { script: "ls" }, undefined],
      [{ ...deny, host: "evil.example" }, web, { site: "https://a.evil.example/" }, "deny"],
      [{ ...deny, host: "evil.example" }, web, { site: "no address" }, "ask"],
      [{ decision: "allow", tool: "remote", path: "src/**" }, files, { target: "src/a" }, "allow"],
      [{ decision: "allow", tool: "remote", path: "src/**" }, tree, { target: "src/a" }, undefined]
    ] as const
    for (const [rule, touches, params, expected] of cases) {
      assert.strictEqual(verdict(rule, touches, params), expected, JSON.stringify([rule, params]))
    }
  })

  it("is anything where its own word fails (T20)", () => {
    const broken = () => {
      throw new Error("no")
    }
    assert.strictEqual(verdict({ decision: "deny", tool: "*", path: "a" }, broken, {}), "ask")
  })
})
