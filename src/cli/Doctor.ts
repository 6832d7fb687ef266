import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import { Audit } from "../audit/Audit.ts"
import { setUp } from "../config/ConfigError.ts"
import { bare, Configuration, inspect, type Inspected } from "../config/Configuration.ts"
import type { Home } from "../config/Home.ts"
import { Database } from "../database/Database.ts"
import { credentials, openProfile } from "../model/OpenProfile.ts"
import { apiKeyVariable, type Profile } from "../model/Profile.ts"
import * as SessionCheck from "../runtime/SessionCheck.ts"
import { many } from "../ui/Words.ts"
import { makeVisible } from "../text/visible.ts"
import * as Collector from "../telemetry/Collector.ts"
import { version } from "../version.ts"
import { askModel, kept, mendedBy } from "./askModel.ts"
import * as Instructions from "../host/Instructions.ts"
import * as LazyHttpClient from "../host/LazyHttpClient.ts"
import * as Records from "../host/Stores.ts"
import { detectedSandbox, sandboxOf } from "../host/ToolServices.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { distrust } from "./distrust.ts"
import { place, projectConfig } from "./here.ts"
import { checkServers } from "./mcp/checkServers.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { otherHome } from "./otherHome.ts"
import { misnamed } from "./misnamed.ts"
import { openFiles } from "./openFiles.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { showStack } from "./showStack.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"
import { duration } from "../text/duration.ts"

/** Something is missing; what it is has been said. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { problems: Schema.Number }) {
  override get message() {
    return this.problems === 1 ? "1 problem found; see above." : `${this.problems} problems found; see above.`
  }
}

interface DoctorOptions {
  readonly stack: boolean
  readonly offline: boolean
  readonly json: boolean
}

interface Finding {
  readonly state: "good" | "missing" | "note"
  readonly what: string
  readonly detail: string
  /** What mends it, a command each. */
  readonly mend?: ReadonlyArray<string>
}

const good = (what: string, detail: string): Finding => ({ state: "good", what, detail })
const missing = (what: string, detail: string, mend: ReadonlyArray<string> = []): Finding => ({
  state: "missing",
  what,
  detail,
  mend
})

/** Asks the model of a profile, unless it is a script or nothing is to be sent. */
const checkProfile = (name: string, profile: Profile, offline: boolean) =>
  Effect.gen(function* () {
    const { secret } = yield* Configuration
    const what = `profile ${name}`
    if (profile.provider === "scripted") {
      const opened = yield* Effect.either(openProfile(name, profile, secret))
      return Either.match(opened, {
        onLeft: (error) => missing(what, error.message, mendedBy(error)),
        onRight: () => good(what, `scripted · plays ${profile.script} · nothing was sent`)
      })
    }
    const variable = apiKeyVariable(profile)
    const said = [profile.provider, profile.model, variable === undefined ? "no key" : `key ${variable}`].join(" · ")
    if (offline) {
      return Either.match(yield* Effect.either(credentials(name, profile, secret)), {
        onLeft: (error) =>
          error._tag === "CredentialsMissing"
            ? missing(what, `${said} · ${error.variable} is not set`, [`export ${error.variable}=…`])
            : missing(what, error.message, mendedBy(error)),
        onRight: (): Finding => ({ state: "note", what, detail: `${said} · not asked (--offline)` })
      })
    }
    return yield* Effect.match(askModel(name, profile, secret), {
      onSuccess: (millis) => good(what, `${said} · answered in ${duration(millis)}`),
      onFailure: ({ mend, reason }) => missing(what, `${said} · ${reason}`, mend)
    })
  })

const checkDatabase = (file: string) =>
  Effect.gen(function* () {
    const { driver, engine } = yield* Database
    const { events, sessions } = yield* SessionCheck.check
    const stored = `${many(sessions, "session", "sessions")}, ${many(events, "event", "events")}`
    return good("sessions", `${file}, ${stored}, SQLite ${engine} (${driver})`)
  }).pipe(
    Effect.provide(Records.database),
    Effect.catchAll((error) => Effect.succeed(missing("sessions", error.message)))
  )

const checkAudit = Effect.gen(function* () {
  const found = yield* (yield* Audit).verify
  return found.intact
    ? good("audit", `intact, ${many(found.entries, "entry", "entries")}`)
    : missing("audit", `broken at entry ${found.entry}: ${found.reason}`, ["tollgate approvals audit --verify"])
}).pipe(
  Effect.provide(Records.audit),
  Effect.catchAll((error) => Effect.succeed(missing("audit", error.message)))
)

const checkSandbox = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { directory } = yield* place
  const { describe } = yield* Effect.flatten(sandboxOf(settings, directory, yield* detectedSandbox))
  return describe.isolated
    ? good("sandbox", describe.detail)
    : ({ state: "note", what: "sandbox", detail: describe.detail } as const)
}).pipe(
  Effect.scoped,
  Effect.catchAll((error) => Effect.succeed(missing("sandbox", error.message, mendedBy(error))))
)

const readOnly = ({ database, user }: Home) =>
  Effect.map(Surroundings, ({ env }) => {
    const failed = path.dirname(database)
    const what = `${failed} is read-only: sessions can be read, but nothing can be run or changed`
    return [missing("home", what, otherHome({ failed, user, env }))]
  })

const checkProfiles = (offline: boolean) =>
  Effect.flatMap(Configuration, ({ preferred, profiles }) =>
    Effect.flatMap(
      Effect.either(preferred),
      (
        named
      ): Effect.Effect<
        ReadonlyArray<Finding>,
        never,
        Configuration | FileSystem.FileSystem | HttpClient.HttpClient
      > => {
        if (named._tag === "Left")
          return Effect.succeed([missing("model", "none is configured; set one up with any of these", setUp)])
        const known = Object.hasOwn(profiles, named.right)
          ? []
          : [missing("model", `the preferred profile ${named.right} is not configured`, ["tollgate config"])]
        return Effect.map(
          Effect.forEach(Object.entries(profiles), ([name, profile]) => checkProfile(name, profile, offline), {
            concurrency: 4
          }),
          (found) => [...known, ...found]
        )
      }
    )
  )

const checkProject = Effect.map(projectConfig, (found): ReadonlyArray<Finding> => {
  const why = distrust(found)
  return why === undefined ? [] : [{ state: "note", what: "project", detail: why, mend: ["tollgate trust"] }]
}).pipe(Effect.orElseSucceed((): ReadonlyArray<Finding> => []))

/** The instructions that models get here. */
const checkInstructions = Effect.gen(function* () {
  const { home, settings } = yield* Configuration
  if (settings.briefing?.instructions === false) return []
  const here = yield* place
  const found = yield* Instructions.read(here, home)
  const files = Instructions.summary(found, here)
  return [
    ...(files === undefined ? [] : [good("instructions", files)]),
    ...found.problems.map((detail): Finding => ({ state: "note", what: "instructions", detail }))
  ]
}).pipe(Effect.orElseSucceed((): ReadonlyArray<Finding> => []))

/** What of the configuration cannot be used; the rest is checked as if it were not there, but for a file that cannot be read. */
const checkConfiguration = ({ problems, unreadable }: Inspected): ReadonlyArray<Finding> => [
  ...(unreadable === undefined ? [] : [missing("configuration", unreadable.message)]),
  ...problems.map(({ key, mend, problem, source }) => missing("configuration", `${source}: ${key}: ${problem}`, mend))
]

/** Hooks, limits and rules that do nothing, for no tool has the name that they are for. */
const checkNames = Effect.map(Effect.flatMap(projectConfig, misnamed), (found) =>
  found.map(({ key, mend, problem, source }) => missing("tool", `${source}: ${key}: ${problem}`, mend))
)

/** Where spans go, if anywhere; does not connect. */
const checkTelemetry = Effect.map(
  Collector.fromEnvironment,
  Option.match({
    onNone: (): ReadonlyArray<Finding> => [],
    onSome: ({ content = false, otherProtocol, url }): ReadonlyArray<Finding> => {
      const held = content ? "with" : "without"
      const detail = `spans go to ${String(bare(url))} ${held} content, as JSON over HTTP`
      return otherProtocol === undefined
        ? [good("telemetry", detail)]
        : [{ state: "note", what: "telemetry", detail: `${detail}; ${otherProtocol} is not supported` }]
    }
  })
)

const render = ({ detail, mend = [], state, what }: Finding, style: Style): string => {
  const mark = { good: style.green("✓"), missing: style.red("✗"), note: style.yellow("!") }[state]
  const lines = [
    `${mark} ${style.bold(makeVisible(what))}  ${makeVisible(detail)}`,
    ...mend.map((line) => `    ${style.cyan(line)}`)
  ]
  return lines.map((line) => `${line}\n`).join("")
}

type Check = Effect.Effect<
  ReadonlyArray<Finding>,
  never,
  Configuration | FileSystem.FileSystem | HttpClient.HttpClient | Surroundings
>

const checkAll = (inspected: Inspected, { json, offline }: DoctorOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { home } = inspected.configuration
    const opened = (yield* Configuration).home.database
    const program = good("tollgate", `${version}, Node ${process.version}, configuration ${home.config}`)
    const tell = (findings: ReadonlyArray<Finding>) =>
      json ? Effect.void : answer(findings.map((one) => render(one, style)).join(""))
    yield* tell([program])
    /** What says nothing where nobody knows what is configured. */
    const ofConfiguration: ReadonlyArray<Check> = [
      Effect.provide(checkProfiles(offline), kept),
      Effect.map(checkSandbox, (one) => [one]),
      checkInstructions,
      Effect.zipWith(checkProject, checkNames, (project, names) => [...project, ...names]).pipe(
        Effect.provide(Records.decided),
        Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
      ),
      checkServers.pipe(
        Effect.provide(Records.decided),
        Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
      )
    ]
    const checks: ReadonlyArray<Check> = [
      Effect.succeed(checkConfiguration(inspected)),
      opened === home.database ? Effect.succeed([]) : readOnly(home),
      Effect.sync(() => openFiles(home).map(({ mend, problem }) => missing("permissions", problem, [mend]))),
      Effect.flatMap(checkDatabase(inspected.configuration.home.database), (one) =>
        one.state === "good" ? Effect.map(checkAudit, (other) => [one, other]) : Effect.succeed([one])
      ),
      checkTelemetry,
      ...(inspected.unreadable === undefined ? ofConfiguration : [])
    ]
    const found = (yield* Effect.forEach(checks, (check) => Effect.tap(check, tell))).flat()
    const findings = [program, ...found].map((one) => JSON.stringify(one))
    if (json) yield* answer(JsonOutput.render(findings, { json }))
    const problems = found.filter(({ state }) => state === "missing").length
    if (problems > 0) return yield* new NotReady({ problems })
  }).pipe(Effect.provide(ReadOnlyHome.layer), Effect.provideService(Configuration, inspected.configuration))

export const doctor = (options: DoctorOptions) =>
  Effect.gen(function* () {
    if (options.stack) {
      return yield* showStack(options.json).pipe(Effect.provide(Records.decided), Effect.provide(Configuration.layer()))
    }
    yield* checkAll(yield* inspect(), options)
  }).pipe(
    Effect.provide(LazyHttpClient.layer),
    Effect.provide(NodeFileSystem.layer),
    Effect.provide(Screen.layer({ split: false }))
  )
