import { Effect, Either } from "effect"
import { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { argvOf, hostTest, pathTest, type Rule } from "../../src/approval/Rule.ts"
import { RevokeApproval } from "../../src/runtime/Command.ts"
import type { Meaning, Stage } from "./Stage.ts"

const saveRule = ({ session, world }: Stage, rule: Omit<Rule, "id" | "level">) => {
  const id = `${rule.decision}-${rule.argv?.join(" ") ?? rule.path ?? rule.host}`
  return Effect.zipRight(
    Effect.orDie(world.boot.rules.save("test", { ...rule, id, level: "user" })),
    Effect.scoped(
      Effect.flatMap(world.boot.approvals.session({ session, project: "test" }), ({ beginTask }) => beginTask)
    )
  )
}

export const pattern =
  (decision: Rule["decision"]): Meaning =>
  (stage, { glob, host, path, pattern: said = "", tool = "run_shell" }) => {
    const file = glob ?? path
    if (file !== undefined) return globbed(decision)(stage, { step: "", glob: file, tool })
    if (host !== undefined) return hosted(stage, { step: "", host, tool })
    const argv = argvOf(said)
    return Either.isLeft(argv)
      ? Effect.sync(() => stage.note("grant", argv.left._tag))
      : saveRule(stage, { decision, tool, argv: argv.right })
  }

export const globbed =
  (decision: Rule["decision"]): Meaning =>
  (stage, { glob, path, pattern: said, tool = "" }) => {
    const file = glob ?? path ?? said ?? ""
    const test = pathTest(file, "/w")
    return Either.isLeft(test)
      ? Effect.sync(() => stage.note("grant", test.left._tag))
      : saveRule(stage, { decision, tool, path: file })
  }

export const hosted: Meaning = (stage, { host, pattern: said, tool = "fetch_url" }) => {
  const name = host ?? said ?? ""
  const test = hostTest(name)
  return Either.isLeft(test)
    ? Effect.sync(() => stage.note("grant", test.left._tag))
    : saveRule(stage, { decision: "allow", tool, host: name })
}

const policies: Readonly<Record<string, ApprovalPolicy>> = {
  never: "allow",
  auto: "allow",
  yolo: "allow",
  "allow-all": "allow",
  "read-only": "allow-read-only",
  always: "ask",
  "on-request": "ask"
}

const isPolicy = (text: string): text is ApprovalPolicy => ApprovalPolicy.literals.some((policy) => policy === text)

/** What a policy is called here; `ask` where nobody knows it. */
export const policyOf = (text: string): ApprovalPolicy => (isPolicy(text) ? text : (policies[text] ?? "ask"))

export const revoked: Meaning = (stage, { id, key, session = stage.session }) =>
  Effect.gen(function* () {
    const { approvals, rules: saved } = stage.world.boot
    const grants = (yield* approvals.state(session)).grants.map((grant) => grant.id)
    const rules = (yield* Effect.orDie(saved.list("test"))).map((rule) => rule.id)
    const named = id ?? key
    const all = [...grants, ...rules]
    for (const grantId of named === undefined || !all.includes(named) ? all : [named]) {
      yield* stage.send(new RevokeApproval({ session, grantId }))
    }
    yield* stage.fence(session)
  })
