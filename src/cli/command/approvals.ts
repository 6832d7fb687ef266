import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { argument } from "../Guard.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const json = Options.boolean("json").pipe(Options.withDescription("prints one JSON object a line"))

const rulesModule = () => import("../ApprovalsCommand.ts")
const auditModule = () => import("../AuditCommand.ts")

const list = Command.make("list", { json }, (given) => load(rulesModule, (module) => module.list(given))).pipe(
  Command.withDescription("Lists what was allowed for always in this project")
)

const revoke = Command.make(
  "revoke",
  { id: argument("id", "the saved rule, or a unique beginning of its id") },
  ({ id }) => load(rulesModule, (module) => module.revoke(id))
).pipe(Command.withDescription("Takes back what was allowed for always"))

const rules = Command.make("rules", { json }, (given) => load(rulesModule, (module) => module.rules(given))).pipe(
  Command.withDescription("Shows every rule, its level and where it is from")
)

const explain = Command.make(
  "explain",
  {
    tool: argument("tool", "the tool, e.g. run_shell"),
    parameters: options.parameters,
    param: options.param,
    approve: Options.choice("approve", ApprovalPolicy.literals).pipe(
      Options.withDescription("the mode to suppose instead of the configured one"),
      Options.optional
    ),
    json
  },
  (given) =>
    load(
      () => import("../ExplainCommand.ts"),
      (module) => module.explain(given)
    )
).pipe(Command.withDescription("Says what would happen to a call, and which rule or mode decides"))

const audit = Command.make(
  "audit",
  {
    verify: Options.boolean("verify").pipe(
      Options.withDescription("checks that every entry is there and as it was written")
    ),
    session: Options.text("session").pipe(
      Options.withAlias("s"),
      Options.withDescription("only of this session, or of those whose id begins so"),
      Options.optional
    ),
    json
  },
  (given) => load(auditModule, (module) => module.audit(given))
).pipe(Command.withDescription("Prints every request and decision, or verifies them"))

const stats = Command.make("stats", { json }, (given) => load(auditModule, (module) => module.stats(given))).pipe(
  Command.withDescription("Sums up what was asked for and how it was answered")
)

/** `tollgate approvals` */
export const approvals = {
  command: Command.make("approvals", {}, () => load(rulesModule, (module) => module.list({ json: false }))).pipe(
    Command.withDescription("Shows, explains and takes back what was decided on calls"),
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
