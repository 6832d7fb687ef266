import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const rulesModule = () => import("../ApprovalsCommand.ts")
const auditModule = () => import("../AuditCommand.ts")

const list = Command.make("list", options.listing, (given) => load(rulesModule, (module) => module.list(given))).pipe(
  Command.withDescription("List open requests and saved rules")
)

const answerModule = () => import("../AnswerCommand.ts")
const request = argument("id", "the id of an open request, or a unique prefix of it")

const show = Command.make("show", { id: request, json: options.json }, (given) =>
  load(answerModule, (module) => module.show(given))
).pipe(Command.withDescription("Show an open request as its prompt does, with its digest"))

const answer = Command.make(
  "answer",
  {
    id: request,
    said: argument("yes|no", "yes allows the call, no denies it"),
    digest: Options.text("digest").pipe(
      Options.withDescription("what the request is bound to; in a terminal the request is shown instead"),
      Options.optional
    ),
    scope: Options.choice("scope", ["once", "task", "session"]).pipe(
      Options.withDescription("how long yes holds; default: once"),
      Options.withDefault("once" as const)
    ),
    reason: Options.text("reason").pipe(Options.withDescription("why, for the model and the audit"), Options.optional),
    json: options.json
  },
  (given) => load(answerModule, (module) => module.answer(given))
).pipe(Command.withDescription("Answer an open request of any session"))

const revoke = Command.make(
  "revoke",
  { id: argument("id", "the rule id, or a unique prefix of it"), json: options.json },
  (given) => load(rulesModule, (module) => module.revoke(given))
).pipe(Command.withDescription("Revoke a saved rule"))

const rules = Command.make("rules", options.listing, (given) =>
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
    json: options.json
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
    ...options.listing
  },
  (given) => load(auditModule, (module) => module.audit(given))
).pipe(Command.withDescription("Print every request and decision, or verify them"))

const stats = Command.make("stats", options.listing, (given) =>
  load(auditModule, (module) => module.stats(given))
).pipe(Command.withDescription("Summarise requests and answers by tool"))

/** `tollgate approvals` */
export const approvals = group(
  Command.make("approvals", {}, () => load(rulesModule, (module) => module.list({ json: false, jsonl: false }))).pipe(
    Command.withDescription("Show, explain and revoke decisions on calls")
  ),
  [list, show, answer, revoke, rules, explain, audit, stats]
)
