import * as Options from "@effect/cli/Options"
import { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"

/** The model profile of a run. */
export const profile = Options.text("profile").pipe(
  Options.withAlias("p"),
  Options.withDescription("the model profile"),
  Options.optional
)
export const session = Options.text("session").pipe(
  Options.withAlias("s"),
  Options.withDescription("goes on with this session"),
  Options.optional
)
export const last = Options.boolean("continue").pipe(
  Options.withAlias("c"),
  Options.withDescription("goes on with the last session of this project")
)
export const approve = Options.choice("approve", ApprovalPolicy.literals).pipe(
  Options.withDescription("what happens to calls that need approval; ask where there is a terminal, fail elsewhere"),
  Options.optional
)
export const allowAll = Options.boolean("dangerously-allow-all").pipe(
  Options.withDescription("runs every call unasked, whatever its risk; there is no other way to choose allow")
)
