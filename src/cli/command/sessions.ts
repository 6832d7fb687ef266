import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { argument } from "../Guard.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import * as options from "./options.ts"

const { id, json, yes } = options

/** Sessions that are listed unless more are asked for. */
const limit = 20

const all = Options.boolean("all").pipe(Options.withAlias("a"), Options.withDescription("include other directories"))

const list = Command.make(
  "list",
  {
    all,
    limit: options.limit(limit, 1000),
    ...options.listing
  },
  (given) =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list(given)
    )
).pipe(Command.withDescription("List sessions, latest first"))

const show = Command.make("show", { session: options.idOrLast, json }, (given) =>
  load(
    () => import("../Sessions.ts"),
    (module) => module.show(given)
  )
).pipe(Command.withDescription("Show a session as it looked live"))

const compact = Command.make(
  "compact",
  {
    id,
    instructions: argument("instructions", "what the summary keeps or leaves out").pipe(Args.repeated),
    json: options.result,
    jsonl: options.events
  },
  (given) =>
    load(
      () => import("../CompactCommand.ts"),
      (module) => module.compact(given)
    )
).pipe(Command.withDescription("Replace what the model sees of a session with a summary; the log keeps it"))

const manage = () => import("../ManageSessions.ts")
const dryRun = Options.boolean("dry-run").pipe(Options.withDescription("only show what it would do"))

const title = Command.make("title", { id, title: Args.repeated(argument("title", "the title")), json }, (given) =>
  load(manage, (module) => module.title(given))
).pipe(Command.withDescription("Give a session a title"))

const fork = Command.make(
  "fork",
  {
    id,
    at: options
      .whole("at", {})
      .pipe(Options.withDescription("copy up to this event number; default: all"), Options.optional),
    json
  },
  (given) => load(manage, (module) => module.fork(given))
).pipe(Command.withDescription("Copy a session into a new one, without its grants"))

const rewind = Command.make(
  "rewind",
  {
    id,
    to: options.whole("to", { least: 2 }).pipe(Options.withDescription("the event number to go back to before")),
    dryRun,
    yes,
    json
  },
  (given) => load(manage, (module) => module.rewind(given))
).pipe(Command.withDescription("Rewind a session and its files to before an event"))

const remove = Command.make("delete", { id, yes, json }, (given) =>
  load(manage, (module) => module.remove(given))
).pipe(Command.withDescription("Delete a session for good"))

const prune = Command.make(
  "prune",
  {
    olderThan: Options.text("older-than").pipe(
      Options.withDescription("unused for this long (30d, 12 hours) or since a date"),
      Options.optional
    ),
    largerThan: Options.text("larger-than").pipe(
      Options.withDescription("at least this large (500kB, 10MB)"),
      Options.optional
    ),
    all,
    dryRun,
    yes,
    json
  },
  (given) => load(manage, (module) => module.prune(given))
).pipe(Command.withDescription("Delete old or large sessions, except open and waiting ones"))

/** `tollgate sessions` */
export const sessions = group(
  Command.make("sessions", {}, () =>
    load(
      () => import("../Sessions.ts"),
      (module) => module.list({ all: false, limit, json: false, jsonl: false })
    )
  ).pipe(Command.withDescription("List, show, name, copy, rewind, compact and delete sessions")),
  [list, show, title, fork, rewind, compact, remove, prune]
)
