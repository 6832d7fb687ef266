import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { changeDirectory, type PathContext } from "../../policy/path/PathContext.ts"
import { forCall } from "../../policy/path/HardLink.ts"
import { onDisk } from "../../policy/shell/OnDisk.ts"
import { classify } from "../../policy/shell/ShellPolicy.ts"
import { strictest, Verdict } from "../../policy/Verdict.ts"
import { environmentHere } from "../ToolEnvironment.ts"
import { isIgnoredDirectory } from "../files/Ignored.ts"
import { Workspace } from "../Workspace.ts"
import { readOnlyGit } from "./ReadOnlyGit.ts"
import { ShellSettings } from "./ShellSettings.ts"

/** The shell policy does not let a command run, or not without a decision that it does not have. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", { verdict: Verdict }) {
  override get message() {
    const { decision, reason, rule } = this.verdict
    return decision === "deny"
      ? `The command was not run: ${reason} (${rule})`
      : `The command was not run, because no one was asked: ${reason} (${rule})`
  }
}

/** A command with where it would run and what the policy says of it there. */
export interface JudgedCommand {
  readonly verdict: Verdict
  readonly context: PathContext
  readonly asks: boolean
}

/**
 * Judges a command where it would run; fails where it can never run. The judgement is of one moment: what its paths lead to
 * and what its patterns match holds for as long as nobody changes the files. A command that runs unasked changes none
 * itself, but another process can put a link in place before bash expands and opens. Then only the sandbox holds, where
 * there is one: credentials and our own state are hidden in it whatever name leads there, other files outside the roots
 * are not.
 */
export const judgeCommand = Effect.fnUntraced(function* (command: string, cwd: string | undefined) {
  const workspace = yield* Workspace
  const { autoApproveReadOnly } = yield* ShellSettings
  // Kept results are for `read_file`, which knows whose they are.
  const { readable: _, ...boundary } = workspace.context
  const context: PathContext = forCall(cwd === undefined ? boundary : yield* changeDirectory(boundary, cwd))
  const { HOME, PWD } = yield* environmentHere
  // What bash puts in place of `~` is what the environment says.
  const home = HOME?.startsWith("/") === true ? HOME : context.home
  const { judgePast, ...git } = yield* readOnlyGit(command, context)
  const lexical = classify(command, {
    ...onDisk(context),
    home,
    ...git,
    isIgnored: isIgnoredDirectory(context.cwd),
    limited: true,
    variables: {
      ...(HOME === home && { HOME }),
      ...(PWD === undefined && { PWD: context.cwd })
    }
  })
  const verdict = lexical.decision === "allow" ? strictest(lexical, yield* judgePast) : lexical
  if (verdict.decision === "deny") return yield* new CommandRefused({ verdict })
  const asks = verdict.decision === "ask" || !autoApproveReadOnly
  return { verdict, context, asks } satisfies JudgedCommand
})
