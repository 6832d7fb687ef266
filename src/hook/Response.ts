import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { home } from "../config/Home.ts"
import { newId, type Spooled, spoolOf } from "../audit/AuditSpool.ts"
import { faultOf } from "../audit/glance.ts"
import { hosted } from "../model/Profile.ts"
import { environmentSecrets } from "../redaction/EnvironmentSecrets.ts"
import * as Deeds from "../redaction/Deeds.ts"
import { ExactValues } from "../redaction/ExactValues.ts"
import { redactedText } from "../redaction/redactedText.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { shownArguments } from "../redaction/shownArguments.ts"
import { makeVisible } from "../text/visible.ts"
import { type Agent, type Answer, isUnread, type Question } from "./Agent.ts"
import { cursor } from "./agent/cursor.ts"
import type { Data } from "./ForeignCall.ts"
import type { Fold, Outcome } from "./Outcome.ts"
import { configured, type Configured, judge, NotJudged } from "./Place.ts"
import { parametersOf } from "./ToolTable.ts"

const maximumReason = 1000

/** What is printed for an agent. */
export interface Response {
  readonly stdout: string
  /** What is taken down before that is printed, and where; nothing where nothing was judged. */
  readonly spooled?: Spooled
  readonly spool?: string
  readonly event?: string
}

const notJudged = "policy hook/not-judged"

/** Whether the call was judged, or there is none to judge; what one process cannot judge, another perhaps can. */
export const isJudged = ({ spooled, stdout }: Response): boolean =>
  spooled === undefined ? stdout === "" : spooled.entry.decided_by !== notJudged

const impossible: Readonly<Record<string, string>> = {
  codex: "Codex cannot be made to ask about it here.",
  gemini: "Gemini CLI cannot be made to ask about it safely.",
  opencode: "opencode cannot be made to ask about it.",
  cursor: "Cursor cannot be relied on to ask about it."
}

/** What the agent is told, as far as it can be told. */
const told = (agent: Agent, { decision, reason, ruled }: Answer, event: string): Answer => {
  const folded = agent.fold(decision, event)
  const why = makeVisible(reason).replaceAll(/\s+/g, " ").slice(0, maximumReason)
  const more =
    decision === "ask" && folded === "deny"
      ? ` ${impossible[agent.name] ?? ""} Let the user run it, or allow it by a rule.`
      : ""
  const by = folded === "ask" ? "Tollgate asks" : "Tollgate"
  return { decision: folded, reason: `${by}: ${why}${more}`, ruled }
}

/** The answer where nothing could be judged: a person is asked, and where that is impossible, it is denied. */
export const failed = (agent: Agent, reason: string, event = agent.usual): string =>
  agent.write(
    told(agent, { decision: "ask", reason: `The call was not judged: ${reason}`, ruled: false }, event),
    event
  )

/** The configuration is found by the environment of the agent's process, whichever process judges for it. */
const within = (env: Around["env"]) =>
  Effect.withConfigProvider(
    ConfigProvider.fromMap(
      new Map(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
    )
  )

/** What is taken down of a call that nobody could judge: that it was asked about, or denied, and why. */
export const unjudged = (
  agent: Agent,
  why: string,
  env: Around["env"],
  event = agent.usual
): Effect.Effect<Response> => {
  const stdout = failed(agent, why, event)
  return Effect.gen(function* () {
    const { database } = yield* home
    const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
    const { text: redact } = redacting(env, [])
    const { decision } = told(agent, { decision: "ask", reason: why, ruled: false }, event)
    const spooled: Spooled = {
      id: newId(),
      time: now,
      entry: {
        kind: "automatic",
        session: `${agent.name}:`,
        worker: ["root"],
        decision: decision === "deny" ? "deny" : null,
        outcome: outcomes[decision],
        decided_by: notJudged,
        reason: redact(makeVisible(`The call was not judged: ${why}`)).slice(0, maximumReason),
        arguments: "{}"
      }
    }
    return {
      stdout: agent.write(
        { ...told(agent, { decision: "ask", reason: redact(`The call was not judged: ${why}`), ruled: false }, event) },
        event
      ),
      spool: spoolOf(database),
      spooled,
      event
    }
  }).pipe(
    within(env),
    Effect.catchAllCause(() => Effect.succeed({ stdout }))
  )
}

const outcomes: Readonly<Record<Fold, string>> = {
  allow: "granted",
  defer: "left to the agent",
  ask: "asked by the agent",
  deny: "denied"
}

/** What takes the keys of the environment out of texts, and out of what a call runs with. */
const redacting = (env: Around["env"], more: ReadonlyArray<string>): Redacting => {
  const variables = [...Object.values(hosted).map(({ apiKeyVariable }) => apiKeyVariable), ...more]
  const exact = new ExactValues(environmentSecrets(env, variables).map((one) => Redacted.value(one)))
  const text = redactedText(exact)
  return { text, deed: Deeds.make(exact, text).deed }
}

type Redacting = Pick<RedactorShape, "text" | "deed">

/** The variables of configured keys. */
const keyVariables = ({ settings }: Configured): ReadonlyArray<string> =>
  Object.values(settings.profiles ?? {}).flatMap((profile) =>
    "apiKeyVariable" in profile && profile.apiKeyVariable !== undefined ? [profile.apiKeyVariable] : []
  )

/** What is taken down of a call: its parameters and the decision, without secrets; nothing else of the payload. */
const spooledOf = ({ call }: Question, outcome: Outcome, decision: Fold, redactor: Redacting, now: number): Spooled => {
  const [deed] = call.deeds
  const { text: redact } = redactor
  return {
    id: newId(),
    time: now,
    entry: {
      kind: "automatic",
      session: `${call.agent}:${call.session}`,
      worker: ["root", ...(call.worker === undefined ? [] : [call.worker])],
      tool: redact(deed?.tool ?? call.tool),
      ...(call.id !== undefined && { call: redact(call.id) }),
      decision: decision === "allow" ? "approve" : decision === "deny" ? "deny" : null,
      outcome: outcomes[decision],
      decided_by: redact(outcome.ruled ? outcome.by : `policy ${outcome.by}`),
      reason: redact(`${call.tool}: ${outcome.reason}`),
      arguments: JSON.stringify(shownArguments(redactor, call.input).value)
    }
  }
}

/** Surroundings of the process that an agent has started. */
export interface Around {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the process was started, for agents that say nothing of it. */
  readonly directory: string
}

const said = (stdout: string): Response => ({ stdout })

/** Cursor runs the hooks of Claude Code as well, with moments of its own. */
const speaking = (agent: Agent, { cursor_version: version, hook_event_name: event }: Data): Agent =>
  agent.name === "claude" && version !== undefined && typeof event === "string" && /^[a-z]/.test(event) ? cursor : agent

/** What agents call the variable that has the directory of the project. */
const projectVariables = ["CLAUDE_PROJECT_DIR", "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR"]

/** Whether a payload says in a field other than `cwd` where its call runs: the hook itself may be run in another place. */
const saysPlace = ({ directory, workspace_roots: roots }: Data): boolean =>
  directory !== undefined || roots !== undefined

/** The directories of `CDPATH` other than the one where a shell stands. */
const cdPathOf = (variable = ""): ReadonlyArray<string> =>
  variable.split(":").filter((directory) => !/^(?:\.\/*)?$/.test(directory))

/** The moment of a payload as far as an answer for it can be written. */
const momentOf = (agent: Agent, { hook_event_name: event }: Data): string =>
  typeof event === "string" && /^permissionrequest$/i.test(event) ? event : agent.usual

const judgedOf = (agent: Agent, question: Question, env: Around["env"]): Effect.Effect<Response, NotJudged> =>
  Effect.gen(function* () {
    const settings = yield* configured
    const { own, typesUnseen } = agent
    const outcome = yield* judge(question.call, { own, typesUnseen, cdPath: cdPathOf(env["CDPATH"]) }, settings)
    const fault = outcome.decision === "deny" ? undefined : faultOf(settings.home.approvals)
    if (fault !== undefined) return yield* new NotJudged({ reason: `The audit cannot be used: ${fault}.` })
    const answer = told(agent, outcome, question.event)
    const redactor = redacting(env, keyVariables(settings))
    const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
    const stdout = agent.write({ ...answer, reason: redactor.text(answer.reason) }, question.event)
    const spooled = spooledOf(question, outcome, answer.decision, redactor, now)
    return { stdout, spool: spoolOf(settings.home.database), spooled, event: question.event }
  })

/** Answers a payload. It never fails: what cannot be read or judged is asked about, or denied where that is impossible. */
export const respond = (hooked: Agent, payload: string, { directory, env }: Around): Effect.Effect<Response> =>
  Effect.suspend(() => {
    const data = parametersOf(payload)
    if (data === undefined) return unjudged(hooked, "its payload is not a JSON object, or repeats a name.", env)
    const agent = speaking(hooked, data)
    const event = momentOf(agent, data)
    const broken = (why: string) => unjudged(agent, why, env, event)
    const project = projectVariables.map((name) => env[name]).find((value) => value !== undefined)
    return Effect.suspend(() => {
      const question = agent.read({
        ...(!saysPlace(data) && { cwd: directory }),
        ...(project !== undefined && { project_dir: project }),
        ...data
      })
      if (question === undefined) return Effect.succeed(said(""))
      return isUnread(question) ? broken(`${question.problem}.`) : judgedOf(agent, question, env)
    }).pipe(
      within(env),
      Effect.catchAll(({ message }) => broken(message)),
      Effect.catchAllDefect(() => broken("Tollgate failed, which is a bug in it."))
    )
  })
