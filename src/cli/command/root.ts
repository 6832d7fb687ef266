import * as Command from "@effect/cli/Command"
import type { CommandTree } from "../Help.ts"
import { acp } from "./acp.ts"
import { approvals } from "./approvals.ts"
import { backup } from "./backup.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import { config } from "./config.ts"
import { configure } from "./configure.ts"
import { cost } from "./cost.ts"
import { doctor } from "./doctor.ts"
import { events } from "./events.ts"
import { mcp } from "./mcp.ts"
import { memory } from "./memory.ts"
import { hook } from "./hook.ts"
import { exporting } from "./export.ts"
import { importing } from "./import.ts"
import * as options from "./options.ts"
import { policy } from "./policy.ts"
import { replay } from "./replay.ts"
import { run } from "./run.ts"
import { search } from "./search.ts"
import { serve } from "./serve.ts"
import { sessions } from "./sessions.ts"
import { tokens } from "./tokens.ts"
import { tool } from "./tool.ts"
import { tools } from "./tools.ts"
import { tour } from "./tour.ts"
import { trust } from "./trust.ts"

const commands = group(
  Command.make(
    "tollgate",
    {
      profile: options.profile,
      session: options.session,
      last: options.last,
      resume: options.resume,
      ...options.gate,
      screenReader: options.screenReader
    },
    (given) =>
      load(
        () => import("../prompt/Interactive.ts"),
        (module) => module.interactive(given)
      )
  ).pipe(
    Command.withDescription("An agent runtime for tools with consequences. Without a command: an interactive prompt")
  ),
  [
    run,
    serve,
    acp,
    tokens,
    tool,
    tools,
    sessions,
    search,
    events,
    replay,
    configure,
    exporting,
    importing,
    config,
    approvals,
    policy,
    hook,
    mcp,
    memory,
    trust,
    cost,
    doctor,
    backup,
    tour
  ]
)

/** `tollgate`, which is an interactive prompt by itself. */
export const root = Command.transformHandler(commands.command, (handler, parsed) =>
  load(
    () => import("../commandStack.ts"),
    ({ behindStack }) => behindStack(handler, parsed)
  )
)

/** Every command there is. */
export const tree: CommandTree = { command: root, below: commands.below }
