import { explain } from "../../src/approval/Explanation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, FastCheck as fc, Layer, Schema } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { Grants } from "../../src/approval/Grants.ts"
import { argvOf, describe as described, pathTest, type Rule } from "../../src/approval/Rule.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Disk, lexical } from "../../src/approval/Disk.ts"
import { describing } from "../../src/approval/Subject.ts"
import { Database } from "../../src/database/Database.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { touching } from "../support/touching.ts"

const tool = (name: string, approval: "always" | "never" = "always") =>
  Tool.make(name, {
    description: name,
    parameters: Schema.Struct({}),
    success: Schema.Void,
    approval,
    touches: touching,
    handler: () => Effect.void
  })
const Shell = tool("run_shell")
const describeCall = describing("/w", "/", lexical)
const subject = (params: unknown) => describeCall.of({ name: "run_shell", tool: Shell, params, rawParams: params })

let count = 0
const rule = (decision: Rule["decision"], more: Partial<Rule> = {}): Rule => ({
  id: `r${++count}`,
  decision,
  level: "user",
  tool: "run_shell",
  ...more
})
const book = (...rules: ReadonlyArray<Rule>) => Either.getOrThrow(RuleBook.make(rules, { root: "/w", trusted: true }))
const decide = (rules: RuleBook, params: unknown) => rules.verdict("run_shell", subject(params))?.decision

/** Rules that no compiler has seen, and what is said of them. */
const unusable = [
  ["an unknown decision", { decision: "forbid" }, '"forbid" is not valid in an approval rule: its decision must be'],
  ["a decision in capitals", { decision: "DENY" }, '"DENY" is not valid in an approval rule: its decision must be'],
  ["no decision", { decision: undefined }, '"undefined" is not valid in an approval rule: its decision must be'],
  ["an unknown level", { level: "team" }, '"team" is not valid in an approval rule: its level must be'],
  ["an unknown risk", { risk: "bad" }, '"bad" is not valid in an approval rule: its risk must be'],
  ["no tool", { tool: undefined }, "its fields must be those of a rule"],
  ["a path that is a number", { path: 7 }, "its fields must be those of a rule"],
  ["a command that is a text", { argv: "rm -rf" }, "its fields must be those of a rule"],
  ["braces in its path", { path: "{a,b}" }, '"{a,b}" is not valid in an approval rule: braces are not supported']
] as const

describe("rules", () => {
  it.effect.each(unusable)("with %s fail the layer, and are not left out (A13)", ([, more, said]) =>
    Effect.gen(function* () {
      const given = { ...rule("deny"), ...more } as unknown as Rule
      assert.isTrue(Either.isLeft(RuleBook.make([given], { root: "/w", trusted: true })))
      for (const layer of [
        Approvals.layer({ policy: "allow", rules: [given] }),
        Approvals.layerAudited({ policy: "allow", rules: [given] }).pipe(
          Layer.provide([Audit.layerMemory, RuleStore.layerMemory])
        )
      ]) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
        assert.strictEqual(error._tag, "PatternRejected")
        assert.include(error.message, said)
      }
    })
  )

  it("that may forbid a call which is not understood has it asked about, in every mode that could run it (A16, T20)", () => {
    const rule = { id: "r", decision: "deny", level: "user", tool: "*", path: "/w/a.txt" } as const
    const facts = {
      tool: "run_shell",
      asks: true,
      grant: undefined,
      reads: true,
      ruled: { decision: "ask", rule, unread: true }
    } as const
    for (const [policy, byPolicy, verdict] of [
      ["allow", "allow", "ask"],
      ["ask", "ask", "ask"],
      ["deny", "deny", "deny"],
      ["fail", "fail", "fail"]
    ] as const) {
      assert.strictEqual(explain({ ...facts, policy, byPolicy }).verdict, verdict)
    }
  })

  it("let the strictest that fits win, whatever the order (A6)", () => {
    const git = rule("allow", { argv: ["git"] })
    const push = rule("deny", { argv: ["git", "push"] })
    const commit = rule("ask", { argv: ["git", "commit"] })
    for (const rules of [book(git, push, commit), book(push, commit, git)]) {
      assert.strictEqual(decide(rules, { command: "git status" }), "allow")
      assert.strictEqual(decide(rules, { command: "git commit -m x" }), "ask")
      assert.strictEqual(decide(rules, { command: "git push" }), "deny")
      assert.strictEqual(decide(rules, { command: "git status && git push" }), "deny")
    }
  })

  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  /** Commands that run a command. */
  const wrapping: ReadonlyArray<(command: string) => string> = [
    (command) => `bash -c ${quoted(command)}`,
    (command) => `sh -ec ${quoted(command)}`,
    (command) => `eval ${quoted(command)}`,
    (command) => `timeout -s KILL 5 ${command}`,
    (command) => `timeout -k 5 10 ${command}`,
    (command) => `stdbuf -o L ${command}`,
    (command) => `env -u X A=b ${command}`,
    (command) => `ionice -c3 ${command}`,
    (command) => `nohup nice -n 5 ${command}`,
    (command) => `npx ${command}`,
    (command) => `corepack ${command}`,
    (command) => `pnpm --filter x exec ${command}`,
    (command) => `npm --prefix=x exec -- ${command}`,
    (command) => `uv --directory x run ${command}`,
    (command) => `npm exec -c ${quoted(command)}`,
    (command) => `npm explore x -- ${command}`,
    (command) => `yarn workspace x exec ${command}`,
    (command) => `lerna exec -- ${command}`,
    (command) => `rustup run stable ${command}`,
    (command) => `direnv exec . ${command}`,
    (command) => `nyc --reporter lcov ${command}`,
    (command) => `arch -x86_64 ${command}`,
    (command) => `entr -s ${quoted(command)}`,
    (command) => `cargo watch -s ${quoted(command)}`,
    (command) => `expect -c ${quoted(`spawn ${command}`)}`,
    (command) => `xargs -0 ${command}`,
    (command) => `find . -name x -exec ${command} \\;`
  ]
  /** Texts that hold a command. */
  const nesting: ReadonlyArray<(command: string) => string> = [
    (command) => command,
    (command) => `(cd sub && ${command})`,
    (command) => `if true; then ${command}; fi`,
    (command) => `echo "$(${command})"`,
    (command) => `cat <<< x | ${command} 2>&1 | tail -1`,
    (command) => `bash <<'END'\n${command}\nEND`,
    (command) => `echo ${quoted(command)} | sh`
  ]
  /** Commands whose words come to them once they run. */
  const filling: ReadonlyArray<string> = [
    "echo test | xargs npm",
    "xargs -0 -n 1 npm < a.txt",
    "xargs -I{} npm {} < a.txt",
    "xargs -I X npm X < a.txt",
    "xargs -IFILE sh -c 'npm FILE' < a.txt",
    "xargs -I{} sh -c {} < a.txt",
    "find . -name test -exec sh -c 'npm {}' \\;",
    "xargs --replace=@ npm @ < a.txt",
    "find . -name test -exec npm {} \\;",
    "parallel npm ::: test",
    "parallel npm {} ::: test",
    "parallel 'npm {1}' ::: test",
    "cat a.txt | timeout 5 xargs env A=b npm"
  ]

  it("ask about a command that they forbid where its words come once it runs (A6)", () => {
    const rules = book(rule("deny", { argv: ["npm", "test"] }))
    for (const command of filling) assert.strictEqual(decide(rules, { command }), "ask", command)
    for (const command of ["ls | xargs cat", "xargs -I X cat X < a", "parallel gzip ::: a b", "xargs npm run x < a"])
      assert.strictEqual(decide(rules, { command }), undefined, command)
  })

  const spelling: ReadonlyArray<readonly [rule: ReadonlyArray<string>, command: string]> = [
    [["npm", "test"], "npm test"],
    [["npm", "test"], "eval npm test"],
    [["npm", "test"], "builtin eval npm test"],
    [["npm", "test"], "/usr/bin/npm test --watch"],
    [["npm", "test"], "npm --silent test"],
    [["npm", "test"], "'npm' te\\st"],
    [["git", "commit"], "git commit -m x"],
    [["git", "commit"], "git --no-pager commit -m x"],
    [["git", "commit"], "git -C . -c user.name=x commit"],
    [["touch"], "touch a"],
    [["tsc"], "./node_modules/.bin/tsc -p ."]
  ]

  it.effect.prop(
    "forbid a command whatever spells, wraps or nests it (A6)",
    [
      fc.constantFrom(...spelling),
      fc.array(fc.constantFrom(...wrapping), { maxLength: 2 }),
      fc.constantFrom(...nesting)
    ],
    ([[argv, said], wrappers, nest]) =>
      Effect.sync(() => {
        const command = nest(wrappers.reduce((inner, wrap) => wrap(inner), said))
        assert.strictEqual(decide(book(rule("deny", { argv })), { command }), "deny", command)
      })
  )

  it("ask where a word may be the command or the value of an option, and leave other commands alone (A6)", () => {
    const rules = book(rule("deny", { argv: ["npm", "test"] }), rule("deny", { argv: ["git", "commit"] }))
    assert.strictEqual(decide(rules, { command: "npm --prefix sub test" }), "ask")
    // Nobody knows what these start, and the words are there.
    for (const command of ["cross-env A=1 npm test", "volta run npm test", "nix-shell --run 'cd x && npm test'"])
      assert.strictEqual(decide(rules, { command }), "ask", command)
    for (const command of [
      "git log --grep commit",
      "git --no-pager show commit",
      "echo npm test",
      "bash build.sh",
      "npm run test",
      "grep -r 'npm test' docs"
    ])
      assert.isUndefined(decide(rules, { command }), command)
  })

  it("forbid a host that a command connects to, and ask about one that it only names, however it is spelled (A6)", () => {
    const rules = book(rule("deny", { tool: "*", host: "evil.example" }))
    const spelled = [
      "evil.example",
      "EVIL.example.",
      "evil'.example'",
      'evil".example"',
      "ev\\il.example",
      "evil%2eexample",
      "%65vil.example",
      "evil\u3002example",
      "sub.evil.example",
      "me@evil.example:8443"
    ]
    for (const host of spelled) {
      for (const command of [
        `curl -s https://${host}/x`,
        `git clone https://${host}/x`,
        `bash -c "wget http://${host}/"`
      ])
        assert.strictEqual(decide(rules, { command }), "deny", command)
      for (const command of [`curl -e https://${host}/ https://fine.example`, `echo see ${host}`, `scp x ${host}:/tmp`])
        assert.strictEqual(decide(rules, { command }), "ask", command)
    }
    for (const command of ["curl https://notevil.example/", "git push origin main", "echo evil"])
      assert.isUndefined(decide(rules, { command }), command)
  })

  it("allow a list of commands only where each of them is allowed (A6)", () => {
    const rules = book(rule("allow", { argv: ["npm", "test"] }), rule("allow", { argv: ["git", "status"] }))
    assert.strictEqual(decide(rules, { command: "npm test && git status" }), "allow")
    assert.isUndefined(decide(rules, { command: "npm test && rm -rf src" }))
    assert.isUndefined(decide(rules, { command: "npm testing" }))
    assert.strictEqual(
      decide(book(rule("allow", { argv: ["npm", "test"], exact: true })), { command: "npm test" }),
      "allow"
    )
    assert.isUndefined(
      decide(book(rule("allow", { argv: ["npm", "test"], exact: true })), { command: "npm test -- -u" })
    )
  })

  it("never allow, and ask where a rule forbids, what cannot be analysed (A6)", () => {
    const texts = ["$(echo rm) -rf src", "rm -rf $HOME", "ls\u202e", `${"a ".repeat(3000)}`, "if", "ls *", ""]
    for (const command of texts) {
      assert.isUndefined(decide(book(rule("allow", { argv: ["ls"] })), { command }))
      assert.include(["ask", "deny"], decide(book(rule("deny", { argv: ["rm"] })), { command }) ?? "allow")
    }
  })

  it("match paths after they were resolved, and hosts by whole labels (A6)", () => {
    const paths = book(rule("allow", { path: "/w/safe/**" }), rule("deny", { path: "**/*.key" }))
    assert.strictEqual(decide(paths, { path: "safe/a.txt" }), "allow")
    assert.isUndefined(decide(paths, { path: "/w/safe/../../etc/passwd" }))
    assert.strictEqual(decide(paths, { path: "safe/id.key" }), "deny")
    const hosts = book(rule("allow", { host: "docs.example" }), rule("deny", { host: "evil.example" }))
    assert.strictEqual(decide(hosts, { url: "https://DOCS.example./x" }), "allow")
    assert.isUndefined(decide(hosts, { url: "https://docs.example.evil.test/" }))
    assert.strictEqual(decide(hosts, { url: "https://a.evil.example/" }), "deny")
  })

  it("of a project count only where it is trusted (A6)", () => {
    const rules = [rule("allow", { level: "project" })]
    const untrusted = Either.getOrThrow(RuleBook.make(rules, { root: "/w", trusted: false }))
    assert.isUndefined(untrusted.verdict("run_shell", subject({ command: "ls" })))
    assert.strictEqual(decide(book(...rules), { command: "ls" }), "allow")
  })

  it("are refused where they would fit everything, nothing, or take long (A6)", () => {
    for (const pattern of ["", "**", "/**", "*/*", "a".repeat(300), "{a,b}", "../x", "["]) {
      assert.isTrue(Either.isLeft(pathTest(pattern, "/w")), pattern)
    }
    for (const text of ["", ".*", "^(a+)+$", "ls; rm", "$X", "  "]) assert.isTrue(Either.isLeft(argvOf(text)), text)
    const everything = RuleBook.make([rule("allow", { tool: "*" })], { root: "/w", trusted: true })
    assert.isTrue(Either.isLeft(everything))
    assert.isTrue(
      Either.isLeft(RuleBook.make([rule("deny", { argv: ["a"], path: "b" })], { root: "/w", trusted: true }))
    )
  })

  const word = fc.constantFrom("git", "npm", "ls", "status", "test", "push", "all")
  const program = fc.constantFrom("git", "npm", "ls")
  const command = fc.tuple(program, fc.array(word, { maxLength: 2 })).map(([name, words]) => [name, ...words])
  const anyRule = fc
    .record({ decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const), argv: command })
    .map(({ argv, decision }) => rule(decision, { argv }))

  it.prop(
    "decide by index as they would one by one (A6)",
    { rules: fc.array(anyRule, { maxLength: 8 }), commands: fc.array(command, { minLength: 1, maxLength: 3 }) },
    ({ commands, rules }) => {
      const fits = (argv: ReadonlyArray<string> = [], said: ReadonlyArray<string>) =>
        argv.every((one, index) => said[index] === one)
      const hits = (decision: Rule["decision"], said: ReadonlyArray<string>) =>
        rules.some((each) => each.decision === decision && fits(each.argv, said))
      const expected = commands.some((said) => hits("deny", said))
        ? "deny"
        : commands.some((said) => hits("ask", said))
          ? "ask"
          : commands.every((said) => hits("allow", said))
            ? "allow"
            : undefined
      assert.strictEqual(
        decide(book(...rules), { command: commands.map((said) => said.join(" ")).join(" && ") }),
        expected
      )
    }
  )

  it.effect("explain which of rule, grant, tool and mode decides, and why (A6)", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const explain = (parameters: unknown, asked: Tool.Any = Shell) => approvals.explain({ tool: asked, parameters })
      const denied = yield* explain({ command: "rm x" })
      assert.strictEqual(denied.verdict, "deny")
      assert.include(denied.because, "deny run_shell: rm …")
      assert.strictEqual((yield* explain({ command: "ls" })).verdict, "allow")
      assert.include((yield* explain({ command: "touch a" })).because, "the mode is ask")
      assert.strictEqual((yield* explain({}, tool("echo", "never"))).verdict, "allow")
    }).pipe(
      Effect.provide(
        Approvals.layerAudited({
          policy: "ask",
          root: "/w",
          rules: [rule("deny", { argv: ["rm"] }), rule("allow", { argv: ["ls"] })]
        }).pipe(Layer.provide([Audit.layerMemory, RuleStore.layerMemory, Layer.succeed(Disk, lexical)]))
      )
    )
  )
})

describe("a rule by words", () => {
  it("is shown as the shell words that it saves (A5, A15)", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "git",
        "-m",
        "a b",
        "",
        "'",
        `"`,
        "$(x)",
        "*.ts",
        "a;b",
        "~",
        "#x",
        "\\",
        "FOO=1",
        "{a,b}",
        "…",
        "é"
      ),
      fc.string({ maxLength: 8 })
    )
    const argv = fc.tuple(fc.constantFrom("git", "npm", "./build.sh"), fc.array(word, { maxLength: 5 }))
    fc.assert(
      fc.property(argv, ([program, words]) => {
        const rule = {
          id: "",
          level: "user",
          decision: "allow",
          tool: "run_shell",
          argv: [program, ...words],
          exact: true
        } as const
        const shown = described(rule).replace("allow run_shell: ", "")
        assert.deepStrictEqual(argvOf(shown), Either.right(rule.argv))
      }),
      { numRuns: 500 }
    )
  })
})

describe("grants", () => {
  const grant = (key: string, expiresAt = 10, sessionId = "s") => ({
    id: key,
    sessionId,
    scope: "session" as const,
    workers: "root" as const,
    tool: "t",
    key,
    words: key,
    basis: [],
    grantedAt: 0,
    expiresAt
  })

  it("are bounded, the oldest going first, and end by themselves (A6)", () => {
    const grants = new Grants({ max: 3, ttlMillis: 10 })
    for (const key of ["a", "b", "c", "d"]) grants.add(grant(key))
    assert.strictEqual(grants.size, 3)
    assert.isUndefined(grants.find("root", "a", 0))
    assert.isDefined(grants.find("root", "b", 9))
    assert.isUndefined(grants.find("root", "b", 10))
    assert.strictEqual(grants.size, 2)
  })

  it("belong to the root worker or to the workers below (A6)", () => {
    const grants = new Grants()
    grants.add(grant("a"))
    assert.isUndefined(grants.find("sub-workers", "a", 0))
    grants.remove(({ sessionId }) => sessionId === "s")
    assert.strictEqual(grants.size, 0)
  })

  it("cover the same command however it is blanked, and no other parameters (A6)", () => {
    assert.strictEqual(subject({ command: "npm  test" }).key, subject({ command: "npm test", timeout: 5 }).key)
    assert.notStrictEqual(subject({ command: "npm test" }).key, subject({ command: "npm test", cwd: "/x" }).key)
    assert.notStrictEqual(subject({ command: "npm test" }).key, subject({ command: "npm test x" }).key)
    assert.notStrictEqual(subject({ a: 1 }).key, subject({ a: 2 }).key)
  })
})

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-rules-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)

const stored = Effect.map(directory, (made) =>
  RuleStore.layerSql.pipe(Layer.provide(Database.layer(path.join(made, "tollgate.db"))))
)

describe("saved rules", () => {
  for (const [name, layer] of [
    ["in memory", Effect.succeed(RuleStore.layerMemory)],
    ["in the database", stored]
  ] as const) {
    it.scoped(`are kept per project and removed by id, ${name} (A6)`, () =>
      Effect.gen(function* () {
        const store = yield* RuleStore
        const saved = rule("allow", { argv: ["ls"], exact: true })
        yield* store.save("one", saved)
        yield* store.save("__proto__", rule("allow", { argv: ["id"] }))
        assert.deepStrictEqual(yield* store.list("one"), [saved])
        assert.deepStrictEqual(yield* store.list("two"), [])
        const again = { ...saved, argv: ["ls", "-l"] }
        yield* store.save("one", again)
        assert.deepStrictEqual(yield* store.list("one"), [again])
        assert.isTrue(yield* store.remove("one", saved.id))
        assert.isFalse(yield* store.remove("one", saved.id))
        assert.deepStrictEqual(yield* store.list("one"), [])
      }).pipe((self) => Effect.flatMap(layer, (given) => Effect.provide(self, given)))
    )

    it.scoped(`are bounded, and the oldest give way, ${name} (A6)`, () =>
      Effect.gen(function* () {
        const store = yield* RuleStore
        yield* Effect.forEach(
          Array.from({ length: 1003 }, (_, index) => index),
          (index) => store.save("p", { ...rule("allow", { argv: [`c${index}`] }), id: `rule_${index}` }),
          { concurrency: "unbounded" }
        )
        const kept = yield* store.list("p")
        assert.strictEqual(kept.length, 1000)
        assert.strictEqual(kept[0]?.id, "rule_3")
      }).pipe((self) => Effect.flatMap(layer, (given) => Effect.provide(self, given)))
    )
  }

  it.scoped("are all kept where two processes save at the same time (A6)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* directory, "tollgate.db")
      const open = Effect.map(
        Layer.build(RuleStore.layerSql.pipe(Layer.provide(Database.layer(file)))),
        Context.get(RuleStore)
      )
      const saving = (name: string) =>
        Effect.scoped(
          Effect.flatMap(open, (store) =>
            Effect.forEach(
              Array.from({ length: 20 }, (_, index) => index),
              (index) => store.save("p", { ...rule("allow", { argv: ["c"] }), id: `rule_${name}${index}` })
            )
          )
        )
      yield* Effect.all([saving("a"), saving("b")], { concurrency: 2 })
      assert.strictEqual((yield* (yield* open).list("p")).length, 40)
    })
  )
})
