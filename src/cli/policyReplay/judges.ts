import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Approvals } from "../../approval/Approvals.ts"
import { describe } from "../../approval/Rule.ts"
import { Configuration } from "../../config/Configuration.ts"
import { agentNamed } from "../../hook/agents.ts"
import { isUnread } from "../../hook/Agent.ts"
import { judge } from "../../hook/Place.ts"
import { parametersOf } from "../../hook/ToolTable.ts"
import { asked } from "../../host/asked.ts"
import type { PastCall } from "../../host/PastCall.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import * as ToolServices from "../../host/ToolServices.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { sentence } from "../../text/sentence.ts"
import { tools } from "../../tools/Builtin.ts"
import { Workspace } from "../../tools/Workspace.ts"
import type { AnyTool } from "../../tool/ToolCall.ts"
import { explaining } from "../callVerdict.ts"
import { place } from "../here.ts"
import { serverTools } from "../mcp/slots.ts"
import { type Judged, unjudged } from "./Judged.ts"

/** What the hook of its agent would say of a call now. */
export const ofAgent = ({ agent: name, directory, id, input, session, tool, worker }: PastCall) =>
  Effect.gen(function* () {
    const agent = agentNamed(name)
    const question = agent?.read({
      hook_event_name: agent.usual,
      session_id: session,
      tool_use_id: id,
      tool_name: tool,
      tool_input: input,
      cwd: directory,
      agent_id: worker
    })
    if (agent === undefined || question === undefined) return unjudged("Its agent is not known.")
    if (isUnread(question)) return unjudged(sentence(`The call is not read: ${question.problem}`))
    const { home, settings } = yield* Configuration
    const { by, decision, reason } = yield* judge(question.call, agent, { home, settings })
    return { now: agent.fold(decision, question.event), by, reason } satisfies Judged
  }).pipe(
    Effect.catchAll(({ message }) => Effect.succeed(unjudged(message))),
    Effect.catchAllDefect(() => Effect.succeed(unjudged("The call cannot be judged.")))
  )

/** What tools would require in a directory; commands have no place to run, since none does. */
const services = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const { env } = yield* Surroundings
    const { directory } = yield* place
    const workspace = yield* Effect.provide(
      Workspace,
      Workspace.layer(ToolServices.workspaceOf({ directory, home, settings }))
    )
    return ToolServices.layer({ env, sandbox: Effect.provide(Sandbox, Sandbox.layerNone), settings, workspace })
  })
)

/** Who judges calls of our own in the directory of the context, as if a person could be asked. */
export const inPlace = Layer.merge(explaining("ask"), services)

/** The tools of sessions begun in the directory of the context, those of its servers included; none is started. */
export const toolsThere = Effect.map(serverTools, (more): ReadonlyArray<AnyTool> => [...tools, ...more])

/** What a call of our own would meet now, by the tools of its place. */
export const ofOwn = ({ input, tool: name }: PastCall, known: ReadonlyArray<AnyTool>) =>
  Effect.gen(function* () {
    const tool = known.find((one) => one.name === name)
    if (tool === undefined) return unjudged(`There is no tool ${name} where it was called.`)
    const parameters = parametersOf(input)
    const decoded = parameters === undefined ? undefined : tool.codec.decode()(parameters)
    if (decoded === undefined || Either.isLeft(decoded)) return unjudged(`Its parameters are not those of ${name}.`)
    const wanted = yield* asked(tool, decoded.right)
    if (Either.isLeft(wanted)) {
      return { now: "deny", by: `tool ${name}`, reason: sentence(wanted.left) } satisfies Judged
    }
    const approvals = yield* Approvals
    const { project } = yield* place
    const found = yield* approvals.explain({ tool, parameters, project, asks: wanted.right })
    const { rule, verdict } = found
    return {
      now: verdict === "fail" ? "deny" : verdict,
      by: rule === undefined ? `tool ${name}` : `rule ${rule.id}`,
      reason: rule === undefined ? found.because : sentence(`A rule of the ${rule.level}: ${describe(rule)}`)
    } satisfies Judged
  }).pipe(Effect.catchAllDefect(() => Effect.succeed(unjudged("The call cannot be judged."))))
