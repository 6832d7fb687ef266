import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { NamedWorkers } from "../agent/NamedWorker.ts"
import { WrittenPolicy } from "../approval/ApprovalPolicy.ts"
import { Budgets } from "../cost/Budgets.ts"
import { UserRule } from "./UserRule.ts"
import { McpServers } from "../mcp/McpServer.ts"
import { Profile } from "../model/Profile.ts"
import { Timespan } from "../model/Timespan.ts"
import { Hosts, OptIns } from "../policy/network/NetworkRules.ts"
import { SandboxSettings } from "../sandbox/SandboxSettings.ts"
import { CommandHook } from "../tool/CommandHook.ts"
import { ToolLimit } from "./ToolLimit.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Count = Schema.Int.pipe(Schema.positive())

/** A duration, or `0` for none. */
const Limit = Schema.Union(
  Schema.transform(Schema.Literal(0), Schema.DurationFromSelf, {
    strict: true,
    decode: () => Duration.infinity,
    encode: () => 0 as const
  }),
  Timespan
)

/** A duration, or `"off"` or `0` to wait for as long as it takes. */
const Patience = Schema.Union(
  Schema.transform(Schema.Literal("off"), Schema.DurationFromSelf, {
    strict: true,
    decode: () => Duration.infinity,
    encode: () => "off" as const
  }),
  Limit
)

/** A program that decides on calls before a person is asked; no shell is involved. */
export const ReviewerProgram = Schema.Struct({
  command: Schema.NonEmptyArray(Schema.NonEmptyString),
  timeout: optional(Timespan),
  /** The decision if it fails. Default: `ask`. */
  onFailure: optional(Schema.Literal("ask", "deny"))
})
export type ReviewerProgram = typeof ReviewerProgram.Type

/** What `fetch_url` may reach. */
const Network = Schema.Struct({
  /** Where it is given, nothing else is reached. */
  allowHosts: optional(Hosts),
  denyHosts: optional(Hosts),
  /** Reached without asking for approval. */
  unaskedHosts: optional(Hosts),
  /** `host:port` each, which may be private addresses and other ports. */
  open: optional(OptIns)
})

/** What happens to a worker that makes the same call over and over. */
const LoopGuard = Schema.Struct({
  action: optional(Schema.Literal("ask", "stop", "off")),
  repeats: optional(Count)
})

/** How messages are found by what they mean. */
const SearchSettings = Schema.Struct({
  embeddings: optional(Schema.Literal("static", "provider", "none")),
  /** The profile whose server embeds. */
  profile: optional(Schema.NonEmptyString),
  /** Its embedding model. */
  model: optional(Schema.NonEmptyString)
})
export type SearchSettings = typeof SearchSettings.Type

/** What a configuration file holds. */
export const Settings = Schema.Struct({
  /** The profile used where none is named. */
  profile: optional(Schema.NonEmptyString),
  profiles: optional(Schema.Record({ key: Schema.NonEmptyString, value: Profile })),
  approvals: optional(
    Schema.Struct({
      policy: optional(WrittenPolicy),
      timeout: optional(Patience),
      /** Rules of the user; the strictest that matches decides. */
      rules: optional(Schema.Array(UserRule)),
      reviewer: optional(ReviewerProgram)
    })
  ),
  /** Programs that are asked before, or told after, calls of tools. */
  hooks: optional(Schema.Array(CommandHook)),
  timeouts: optional(Schema.Struct({ tool: optional(Limit), idle: optional(Limit), task: optional(Limit) })),
  maxIterations: optional(Count),
  contextCharacters: optional(Count),
  autoCompact: optional(Schema.Boolean),
  parallelCalls: optional(Count),
  maxDepth: optional(Schema.NonNegativeInt),
  maxWorkers: optional(Count),
  parallelWorkers: optional(Count),
  /** What may be spent. */
  budgets: optional(Budgets),
  /** Sub-workers that a parent can start by their names. */
  workers: optional(NamedWorkers),
  systemPrompt: optional(Schema.String),
  /** Which profile serves which work. */
  routing: optional(
    Schema.Struct({
      /** The profile of each weight; a weight is what `--weight` or a named worker says. */
      weights: optional(Schema.Record({ key: Schema.NonEmptyString, value: Schema.NonEmptyString })),
      /** Programs that see and change each choice, in order. */
      hooks: optional(
        Schema.Array(
          Schema.Struct({ command: Schema.NonEmptyArray(Schema.NonEmptyString), timeout: optional(Timespan) })
        )
      )
    })
  ),
  /** What is remembered without a tool. */
  memory: optional(
    Schema.Struct({
      recall: optional(Schema.Boolean),
      extract: optional(Schema.Literal("patterns", "model", "off"))
    })
  ),
  /** What follows the system prompt. */
  briefing: optional(Schema.Struct({ surroundings: optional(Schema.Boolean), instructions: optional(Schema.Boolean) })),
  /** Directories besides the working directory that tools may use. */
  roots: optional(Schema.Array(Schema.NonEmptyString)),
  /** Where commands, hooks and reviewers look for programs. */
  path: optional(Schema.Array(Schema.NonEmptyString)),
  /** How often, and how many at a time, tools may run. */
  limits: optional(Schema.Array(ToolLimit)),
  loopGuard: optional(LoopGuard),
  /** Bytes of a result that the model is given where a tool does not bound its own. */
  resultLimit: optional(Count),
  network: optional(Network),
  /** Servers whose tools join the agent's. */
  mcp: optional(
    Schema.Struct({
      servers: optional(McpServers),
      gateway: optional(
        Schema.Struct({
          /** When a client may show a request to its user; `ordinary` is all but those of high risk. */
          elicitation: optional(Schema.Literal("never", "ordinary", "always")),
          /** How long a client waits for a decision before it is told to call again. */
          patience: optional(Timespan),
          /** Tokens of definitions that a client gets; beyond them it searches. */
          budget: optional(Count)
        })
      )
    })
  ),
  sandbox: optional(SandboxSettings),
  /** Lines alone, for programs that read the screen out. */
  screenReader: optional(Schema.Boolean),
  search: optional(SearchSettings)
})
export type Settings = typeof Settings.Type

/** A value that is one of its own: it can come from a file, a variable or a flag. */
export interface Key {
  readonly name: string
  readonly variable: string
  readonly about: string
  /** As written in a file; unset if it follows from other values. */
  readonly fallback?: unknown
  /** What its value counts where it is a number, if the name does not say so. */
  readonly unit?: string
}

const key = (name: string, about: string, fallback?: unknown): Key => ({
  name,
  variable: `TOLLGATE_${name.replaceAll(/(?<=[a-z])(?=[A-Z])|\./g, "_").toUpperCase()}`,
  about,
  ...(fallback === undefined ? {} : { fallback })
})

/** The key of a duration, which as a number is one of milliseconds. */
const duration = (...given: Parameters<typeof key>): Key => ({ ...key(...given), unit: "milliseconds" })

/** Every key but the profiles, in the order in which they are shown. */
export const keys: ReadonlyArray<Key> = [
  key("profile", "the default model profile"),
  key("approvals.policy", "what happens to calls that need approval", "ask"),
  duration("approvals.timeout", "how long a person has to answer, e.g. 10 minutes; off to wait forever", "off"),
  key("approvals.rules", "rules that decide beforehand; the strictest that matches wins", []),
  key("approvals.reviewer", "a program that decides before a person is asked"),
  key("hooks", "programs that run before or after tool calls", []),
  duration("timeouts.tool", "time limit of one tool attempt; 0 for none", "2 minutes"),
  duration("timeouts.idle", "time limit without output from a tool; 0 for none", 0),
  duration("timeouts.task", "time limit of one task; 0 for none", 0),
  key("maxIterations", "most model requests of a task itself, and of each of its sub-workers", 100),
  key("contextCharacters", "characters of the conversation that the model sees", 400_000),
  key("autoCompact", "whether a summary replaces a conversation that is about to become too long for the model", true),
  key("parallelCalls", "read-only calls of one answer that run at the same time", 16),
  key("maxDepth", "levels of sub-workers below the root; 0 for none", 4),
  key("maxWorkers", "most sub-workers of one task", 32),
  key("parallelWorkers", "sub-workers of one answer that run at the same time", 4),
  key("budgets.task", "USD that a task may cost, with its sub-workers; no budget if unset"),
  key("budgets.session", "USD that a session may cost"),
  key("budgets.day", "USD of a day, for all sessions"),
  key("budgets.month", "USD of a month"),
  key("budgets.project", "USD of a project"),
  key(
    "budgets.unknownPrice",
    "requests of unknown price while a budget applies: refuse, or a price to count",
    "refuse"
  ),
  key(
    "budgets.atLimit",
    "what happens to a request that does not fit into a budget: refuse, or ask to raise it",
    "refuse"
  ),
  key("budgets.hook", "a program that is given each alert: 50, 75, 90 and 100 % of a budget"),
  key("workers", "named sub-workers: description, instructions, tools, profile and limits of each"),
  key("systemPrompt", "the system prompt of the model"),
  key("briefing.surroundings", "whether the model sees directory, platform, date, git state, mode and sandbox", true),
  key(
    "briefing.instructions",
    "whether the model sees AGENTS.md of the project and of the configuration directory",
    true
  ),
  key("routing.weights", "the profile that serves work of a weight, by the names of weights", {}),
  key("routing.hooks", "programs that see and change which profile serves a task or a worker", []),
  key("memory.recall", "whether notes that fit a prompt are put before it", true),
  key("memory.extract", "how notes are taken from a conversation: patterns, model or off", "patterns"),
  key("roots", "directories besides the working directory that tools may use", []),
  key("path", "directories searched for programs; your PATH if unset, never the workspace"),
  key("limits", "rate and concurrency limits of tools", []),
  key("loopGuard.action", "what happens to a call that repeats those before it: ask, stop or off", "ask"),
  key("loopGuard.repeats", "identical calls in a row before the loop guard acts", 3),
  key("resultLimit", "bytes of a result that the model sees; the full result is kept in a file", 100_000),
  key("network.allowHosts", "the only hosts that fetch_url may reach; every public host if unset"),
  key("network.denyHosts", "hosts that fetch_url never reaches, including their subdomains", []),
  key("network.unaskedHosts", "hosts that fetch_url reaches without asking for approval", []),
  key("network.open", "host:port entries that fetch_url may reach although private or on another port", []),
  key("mcp.servers", "MCP servers whose tools the agent has; tollgate mcp add makes one", {}),
  key(
    "mcp.gateway.elicitation",
    "when an MCP client may ask its own user: never, ordinary (not for high risk) or always",
    "ordinary"
  ),
  duration(
    "mcp.gateway.patience",
    "how long an MCP client waits for a decision before it is told to call again",
    "50 seconds"
  ),
  key("mcp.gateway.budget", "tokens of tool definitions that an MCP client gets; beyond them it searches", 40_000),
  key("sandbox.target", "where commands run: detect, none, bubblewrap, sandbox-exec, container or ssh", "detect"),
  key("sandbox.network", "whether confined commands may use the network", false),
  key("sandbox.engine", "the container engine: docker or podman", "docker"),
  key("sandbox.image", "the container image"),
  key("sandbox.host", "the ssh host"),
  key("screenReader", "plain lines and typed answers in the terminal, for screen readers; --screen-reader", false),
  key("search.embeddings", "how messages are found by meaning: static (a table of words), provider or none", "static"),
  key("search.profile", "for provider: the profile whose server embeds messages; it receives their text"),
  key("search.model", "for provider: its embedding model")
]
