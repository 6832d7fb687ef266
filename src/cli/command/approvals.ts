import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const { json, jsonl } = options

const rulesModule = () => import("../ApprovalsCommand.ts")
const auditModule = () => import("../AuditCommand.ts")

const list = Command.make("list", { json, jsonl }, (given) => load(rulesModule, (module) => module.list(given))).pipe(
  Command.withDescription("List the rules saved by the answer always in this project")
)

const revoke = Command.make("revoke", { id: argument("id", "the rule id, or a unique prefix of it") }, ({ id }) =>
  load(rulesModule, (module) => module.revoke(id))
).pipe(Command.withDescription("Revoke a saved rule"))

const rules = Command.make("rules", { json, jsonl }, (given) =>
  load(rulesModule, (module) => module.rules(given))
).pipe(Command.withDescription("Show every rule, its level and its source"))

const explain = Command.make(
  "explain",
  {
    tool: argument("tool", "the tool, e.g. run_shell"),
    parameters: options.parameters,
    param: options.param,
    approve: Options.choice("approve", ApprovalPolicy.literals).pipe(
      Options.withDescription("assume this mode instead of the configured one"),
      Options.optional
    ),
    json
  },
  (given) =>
    load(
      () => import("../ExplainCommand.ts"),
      (module) => module.explain(given)
    )
).pipe(Command.withDescription("Explain what would happen to a call, and which rule or mode decides"))

const audit = Command.make(
  "audit",
  {
    verify: Options.boolean("verify").pipe(Options.withDescription("verify that no entry is missing or changed")),
    session: Options.text("session").pipe(
      Options.withAlias("s"),
      Options.withDescription("only this session id or prefix"),
      Options.optional
    ),
    json,
    jsonl
  },
  (given) => load(auditModule, (module) => module.audit(given))
).pipe(Command.withDescription("Print every request and decision, or verify them"))

const stats = Command.make("stats", { json, jsonl }, (given) =>
  load(auditModule, (module) => module.stats(given))
).pipe(Command.withDescription("Summarise requests and answers by tool"))

/** `tollgate approvals` */
export const approvals = {
  command: Command.make("approvals", {}, () =>
    load(rulesModule, (module) => module.list({ json: false, jsonl: false }))
  ).pipe(
    Command.withDescription("Show, explain and revoke decisions on calls"),
    Command.withSubcommands([list, revoke, rules, explain, audit, stats])
  ),
  below: {
    list: { command: list },
    revoke: { command: revoke },
    rules: { command: rules },
    explain: { command: explain },
    audit: { command: audit },
    stats: { command: stats }
  }
}
