import { assert, describe, it } from "@effect/vitest"
import { at, replaceAt, stepsTo } from "../../src/config/ConfigFile.ts"
import * as Problems from "../../src/config/Problems.ts"
import { jsonError } from "../../src/redaction/jsonError.ts"

const rule = { id: "r", decision: "ask", level: "user", tool: "x" }

const inFile = (json: Readonly<Record<string, unknown>>) =>
  Problems.inFile("config.json", json).map(({ key, problem }) => `${key}: ${problem}`)

describe("problems of a configuration", () => {
  it("names every one of them, with what was expected and what is there", () => {
    assert.deepStrictEqual(
      inFile({
        zzz: 1,
        maxDepth: "x",
        timeouts: { tool: "soon" },
        approvals: { policy: "sometimes", rules: [rule, { ...rule, decision: "no" }, 5] },
        profiles: { a: 5, b: { provider: "x" }, c: { provider: "chat-completions", baseUrl: "ftp://x" } }
      })
        .map((line) => line.replace(/known keys: .*/, "…"))
        .toSorted(),
      [
        "zzz: unknown key; …",
        'maxDepth: expected a number, is "x"',
        'timeouts.tool: expected 0 or milliseconds or a duration like "90 seconds", is "soon"',
        'approvals.policy: expected "ask", "edits", "plan", "sandboxed", "deny", "fail", "allow-read-only" or "allow-edits", is "sometimes"',
        'approvals.rules.1.decision: expected "allow", "ask" or "deny", is "no"',
        "approvals.rules.2: expected an object, is 5",
        "profiles.a: expected an object",
        "profiles.b.provider: unknown provider; expected one of scripted, chat-completions, openai, anthropic",
        "profiles.c.model: it is missing",
        "profiles.c.baseUrl: expected an http or https URL"
      ].toSorted()
    )
  })

  it("tells of a value of several forms what is wrong with the one that it comes closest to (X1)", () => {
    const servers = (server: object) => inFile({ mcp: { servers: { odd: server } } })
    const program = { command: ["node", "x"] }
    for (const [server, problems] of [
      [
        { ...program, tools: { cmd: { touches: { command: "command" } } } },
        ["tools.cmd.touches.command: expected an object, is text"]
      ],
      [{ ...program, tools: { cmd: { touches: 5 } } }, ['tools.cmd.touches: expected "none" or an object, is 5']],
      [
        { ...program, envy: {} },
        ["envy: unknown key; known keys: command, env, sandbox, tools, timeouts, passes, disabled"]
      ],
      [{ url: "ftp://x" }, ["url: expected an http or https URL without a login in it"]],
      [{ ...program, sandbox: { network: "no" } }, ['sandbox.network: expected true or false, is "no"']]
    ] as const)
      assert.deepStrictEqual(
        servers(server),
        problems.map((problem) => `mcp.servers.odd.${problem}`)
      )
  })

  it("says of a name that cannot be used that it cannot, without a list of none (X1)", () => {
    assert.deepStrictEqual(inFile({ mcp: { servers: { bad__name: { command: ["node"] } } } }), [
      "mcp.servers.bad__name: no name that can be used here"
    ])
  })

  it("says what a key is called now that had another name (A7)", () => {
    assert.deepStrictEqual(inFile({ approvals: { delegate: { command: ["x"] } } }), [
      "approvals.delegate: renamed to approvals.reviewer; move its value there"
    ])
    assert.deepStrictEqual(inFile({ approvals: { reviewer: { command: ["x"] } } }), [])
  })

  it.each([
    [{ path: "a{b}" }, "braces are not supported"],
    [{ host: "a b" }, "it names no host"],
    [{ argv: [] }, "it names no program"],
    [{ tool: "" }, "it names no tool"],
    [{ tool: "demo__*" }, "there are no patterns of tools"],
    [{ tool: "run_*", decision: "deny" }, "there are no patterns of tools"],
    [{ argv: ["ls"], path: "x" }, "more than one of"],
    [{ tool: "*", decision: "allow" }, "is a mode, not a rule"]
  ])("names the rule %j that no call can be judged by (A6)", (bad, reason) => {
    const problems = inFile({ approvals: { rules: [rule, { ...rule, ...bad }] } })
    assert.strictEqual(problems.length, 1)
    assert.match(problems[0]!, /^approvals\.rules\.1: /)
    assert.include(problems[0]!, reason)
    assert.isUndefined(Problems.settingsOf({ approvals: { rules: [{ ...rule, ...bad }] } }))
  })

  it("repeats no credential that stands in the wrong place (S5)", () => {
    const secret = "sk-live-abcdef0123456789 x"
    const profile = {
      provider: "chat-completions",
      model: "m",
      baseUrl: "http://x",
      apiKeyVariable: secret,
      headers: { authorization: [secret] },
      apiKey: secret
    }
    const said = inFile({ profiles: { a: profile }, token: secret, approvals: secret }).join("\n")
    assert.include(said, "profiles.a.apiKeyVariable")
    assert.notInclude(said, "sk-live")
  })

  it("needs no level of a rule: one in the configuration is the user's (A6)", () => {
    assert.deepStrictEqual(inFile({ approvals: { rules: [{ id: "r", decision: "ask", tool: "x" }] } }), [])
  })

  it("knows nothing but words for people", () => {
    for (const json of [{ profiles: 5 }, { approvals: [] }, { hooks: [{}, 5] }, { roots: "x" }, { limits: 5 }]) {
      const said = inFile(json).join("\n")
      assert.notMatch(said, /readonly|undefined|<->|ReadonlyArray|NonEmpty/)
      assert.isBelow(said.length, 800)
    }
  })

  it.each([
    ['{"a": 1,\n "b" 2}', "line 2, column 6"],
    ["{'a': 1}", "line 1, column 2"],
    ['{\n  // why\n  "a": 1\n}', "line 2, column 3"],
    ['{"a": [1,]}', "line 1, column 10"],
    ['{"a": 1}}', "line 1, column 9"],
    ['{"a": "x', "ends too early"],
    ['{"a":', "ends too early"],
    [" ", "it is empty"]
  ])("says where %j stops being JSON, and nothing of what stands there", (text, where) => {
    assert.include(jsonError(text), where)
    assert.notInclude(jsonError(text), "why")
  })
})

describe("a place in a configuration", () => {
  const json = { a: 1, "b.c": { d: [{ e: 1 }, { e: 2 }] }, f: 3 }

  it("is found whatever dots its names have", () => {
    assert.deepStrictEqual(stepsTo(json, "b.c.d.1.e"), ["b.c", "d", "1", "e"])
    assert.strictEqual(at(json, ["b.c", "d", "1", "e"]), 2)
    assert.isUndefined(stepsTo(json, "b.c.d.2"))
    assert.isUndefined(at(json, ["a", "constructor"]))
  })

  it("changes alone: all else keeps its value and its order", () => {
    const changed = replaceAt(json, ["b.c", "d", "0", "e"], 9)
    assert.strictEqual(JSON.stringify(changed), '{"a":1,"b.c":{"d":[{"e":9},{"e":2}]},"f":3}')
    const removed = replaceAt(json, ["b.c", "d", "0"], undefined)
    assert.strictEqual(JSON.stringify(removed), '{"a":1,"b.c":{"d":[{"e":2}]},"f":3}')
    assert.strictEqual(JSON.stringify(replaceAt(json, ["a"], undefined)), '{"b.c":{"d":[{"e":1},{"e":2}]},"f":3}')
    assert.deepStrictEqual(Object.keys(replaceAt(json, ["g"], 1)), ["a", "b.c", "f", "g"])
  })
})
