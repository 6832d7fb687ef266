import { typed } from "../text/ShellWord.ts"

/** The command that mends what went wrong, and the words that lead to it. */
interface Advice {
  readonly lead: string
  readonly command: string
}

/** What is known of an error: its tag, or the tag of the error that it passes on. */
interface Known {
  readonly _tag: string
  readonly error?: string | undefined
  readonly session?: string | undefined
  readonly profile?: string | undefined
  readonly key?: string | undefined
  readonly server?: string | undefined
  /** What it says, which names the values of an error that is known by its tag alone. */
  readonly message?: string | undefined
}

/** The message says which session it is, and of an answer that lies ready what is to be done. */
const waits = ({ message = "" }: Known): Advice => {
  const [, session = "ID"] = /^Session (\S+)/.exec(message) ?? []
  return message.includes("Let it go on first")
    ? { lead: "To do that", command: `tollgate run --session ${session} --input-format jsonl </dev/null` }
    : { lead: "To answer it, in a terminal", command: `tollgate --session ${session}` }
}

/** Tools whose calls in the workspace a mode lets through. */
const edits = /\b(?:write_file|edit_file|apply_patch) needs approval/

const anotherTry = (): Advice => ({
  lead: "Try again later, or with another profile",
  command: "tollgate --profile NAME"
})

const table: Readonly<Record<string, (error: Known) => Advice | undefined>> = {
  ApprovalUnavailable: ({ message = "" }) => ({
    lead: "Run it in a terminal with nothing piped into it, or add",
    command: `${edits.test(message) ? "--mode edits (edits files in the workspace without asking) or " : ""}--mode deny (continues without the call)`
  }),
  ApprovalWaits: waits,
  SessionWaits: waits,
  PolicyNotAllowed: () => ({ lead: "Start with", command: "tollgate --dangerously-allow-all" }),
  SessionNotFound: () => ({ lead: "To see all sessions", command: "tollgate sessions list --all" }),
  SessionBusy: ({ session }) =>
    session === undefined
      ? undefined
      : { lead: "To watch it, and take it over by t", command: `tollgate --session ${session}` },
  ProfileNotFound: () => ({ lead: "To check the profiles", command: "tollgate doctor" }),
  ProfileInvalid: ({ key, profile = "NAME" }) =>
    key === undefined
      ? undefined
      : { lead: "To correct it", command: `tollgate config set profiles.${profile}.${key} VALUE` },
  SandboxUnavailable: ({ key }) =>
    key === undefined ? undefined : { lead: "To set it", command: `tollgate config set ${key} NAME` },
  BudgetReached: ({ message = "" }) => {
    const [, key = "budgets.NAME", usd = "USD"] = /\b(budgets\.[a-z]+) to ([\d.]*\d)/.exec(message) ?? []
    return { lead: "To raise it", command: `tollgate config set ${key} ${usd}` }
  },
  PriceUnknown: ({ message = "" }) => {
    const [key = "profiles.NAME.price"] = /\bprofiles\..*?\.price\b/.exec(message) ?? []
    return { lead: "To set it", command: `tollgate config set ${typed(key)} '{"input":1,"output":5}'` }
  },
  ModelOverloaded: anotherTry,
  ModelCut: anotherTry,
  ModelUnauthorized: () => ({ lead: "See", command: "tollgate doctor" }),
  ModelUnreachable: () => ({ lead: "See", command: "tollgate doctor" }),
  // A script says itself what to do.
  ModelRejected: ({ message = "" }) =>
    message.includes("(HTTP ") ? { lead: "See", command: "tollgate doctor" } : undefined,
  ModelMalformed: () => ({ lead: "See", command: "tollgate doctor" }),
  ServerUnavailable: ({ server }) =>
    server === undefined ? undefined : { lead: "To see what is known of it", command: `tollgate mcp show ${server}` },
  StateUnusable: ({ message = "" }) => {
    const [, name = "NAME"] = /([A-Za-z][\w-]*)\.[^/]*json: /.exec(message) ?? []
    return { lead: "To approve them", command: `tollgate mcp trust ${name}` }
  }
}

/** The library speaks of no command; this is the one place that says which command helps with which error. */
export const adviceOn = (error: Known): Advice | undefined => {
  const tag = error.error ?? error._tag
  return Object.hasOwn(table, tag) ? table[tag]?.(error) : undefined
}

/** A message with the command that helps with its error, which is given whole or by its tag. */
export const advised = (message: string, error: Known | string | undefined): string => {
  const known = typeof error === "string" ? { _tag: error, message } : error
  const advice = known === undefined ? undefined : adviceOn(known)
  return advice === undefined ? message : `${message} ${advice.lead}: ${advice.command}`
}

/** What helps on the page of a server where it is no command, or another one; nothing where the page shows what helps. */
const onPage: Readonly<Record<string, string | undefined>> = {
  ApprovalUnavailable: "To be asked about such calls, choose the mode ask below the prompt.",
  SessionWaits: "It stands under Approvals.",
  PolicyNotAllowed: "To allow it, start the server with: tollgate serve --dangerously-allow-all",
  SessionNotFound: undefined,
  ModelOverloaded: "Try again later, or start the server with another profile: tollgate serve --profile NAME",
  ModelCut: "Try again later, or start the server with another profile: tollgate serve --profile NAME"
}

/** The same for the page of a server. */
export const advisedOnPage = (message: string, error: string | undefined): string => {
  if (error === undefined || !Object.hasOwn(onPage, error)) return advised(message, error)
  return `${message} ${onPage[error] ?? ""}`.trimEnd()
}
