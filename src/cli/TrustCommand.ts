import * as path from "node:path"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import { Trust } from "../config/Trust.ts"
import { isProgram, type KnownServer } from "../mcp/KnownServer.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { makeVisible } from "../text/visible.ts"
import { typed } from "../text/ShellWord.ts"
import type { CommandHook } from "../tool/CommandHook.ts"
import { Ui } from "../ui/Ui.ts"
import { many } from "../ui/Words.ts"
import * as Frontend from "./Frontend.ts"
import { NobodyToAsk } from "./Outcome.ts"
import * as Instructions from "../host/Instructions.ts"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { place, project, projectConfig } from "./here.ts"
import * as Records from "../host/Stores.ts"
import * as JsonOutput from "./jsonOutput.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { wrap } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"
import { isYes } from "../ui/isYes.ts"

export interface TrustOptions {
  /** It has been read already. */
  readonly yes: boolean
  readonly json: boolean
}

/** What a hook runs and when, in words. */
const hookLine = ({ command, event, tool }: CommandHook): string =>
  makeVisible(
    `hook: ${command.map(typed).join(" ")} ${event === "pre" ? "before" : "after"} ${tool === "*" ? "every call" : tool}`
  )

/** What an MCP server of the project is started with or reached by, in words. */
const serverLine = ({ given, name, server }: KnownServer): string => {
  const what = isProgram(server) ? server.command.map(typed).join(" ") : server.url
  const names = Object.keys(given)
  return makeVisible(`MCP server ${name}: ${what}${names.length === 0 ? "" : ` (sets ${names.join(", ")})`}`)
}

const say = (line: string) =>
  Effect.flatMap(Screen, ({ answer, width }) => answer(`${wrap(line, width()).join("\n")}\n`))

/** The instructions of the project, with what they import. */
const instructions = Effect.gen(function* () {
  const { home, settings } = yield* Configuration
  if (settings.briefing?.instructions === false) return undefined
  const here = yield* place
  return Instructions.summary({ ...(yield* Instructions.read(here, home)), own: [] }, here)
})

/** The same for programs, which are asked nothing: it is trusted where `yes` says so. */
const asDocument = ({ accepted, file, project: here }: ProjectConfig, yes: boolean) =>
  Effect.gen(function* () {
    if (Option.isNone(file)) return yield* JsonOutput.document({ project: here, trusted: false })
    const { commands, hookFiles, servers, settings } = file.value
    const { approvals, hooks = [], workers = {} } = yield* settings
    const isTrusted = Option.exists(accepted, (digest) => ProjectFile.isUnchanged(file.value, digest))
    if (yes && !isTrusted) yield* (yield* Trust).accept(here, ProjectFile.acceptance(file.value))
    yield* JsonOutput.document({
      project: here,
      trusted: isTrusted || yes,
      hooks,
      hookFiles,
      rules: approvals?.rules ?? [],
      workers,
      commands: commands.commands,
      servers: servers.servers.map(({ given, name, server }) => ({
        name,
        ...(isProgram(server) ? { command: server.command } : { url: server.url }),
        sets: Object.keys(given)
      })),
      problems: [...commands.problems, ...servers.problems]
    })
    if (!isTrusted && !yes)
      return yield* new NobodyToAsk({ reason: "--json asks nothing: say --yes as well to trust it." })
  })

/** Shows what the project would run and allow, and lets it once the person says so; a change of the file ends that. */
export const trust = ({ json, yes }: TrustOptions) =>
  Effect.gen(function* () {
    const { answer, interactive, style } = yield* Screen
    const config = yield* projectConfig
    if (json) return yield* asDocument(config, yes)
    const { accepted, file, project: here } = config
    const told = yield* instructions
    if (told !== undefined)
      yield* say(makeVisible(`The model is told, as data that needs no trust and whose changes are named: ${told}`))
    if (Option.isNone(file)) {
      return yield* say(
        `${makeVisible(here)} has no configuration (${makeVisible(ProjectFile.fileOf(here))}): nothing to trust.`
      )
    }
    const { commands, file: name, hookFiles, open, servers, settings, text } = file.value
    const {
      approvals,
      hooks = [],
      workers = {}
    } = yield* Either.match(settings, {
      onLeft: Effect.fail,
      onRight: Effect.succeed
    })
    const show = (name: string, text: string) =>
      answer(`${style.bold(makeVisible(name))}\n${makeVisible(text).trimEnd()}\n\n`)
    if (text !== "") yield* show(name, text)
    for (const { arguments: given, description, file, name, template } of commands.commands) {
      const usage = [`/${name}`, given, description].filter((part) => part !== undefined).join("  ")
      yield* show(path.relative(here, file), `${usage}\n${template}`)
    }
    yield* Effect.forEach(commands.problems, (problem) => say(makeVisible(`left out: ${problem}`)), { discard: true })
    yield* Effect.forEach(hooks, (hook) => say(hookLine(hook)), { discard: true })
    // A key among its values is for the server, not for who looks over a shoulder.
    if (servers.text !== "") yield* show(".mcp.json", (yield* Redactor).text(servers.text))
    yield* Effect.forEach(servers.problems, (problem) => say(makeVisible(`left out: ${problem}`)), { discard: true })
    yield* Effect.forEach(servers.servers, (server) => say(serverLine(server)), { discard: true })
    if (hookFiles.length > 0) {
      const files = hookFiles.map((one) => `  ${makeVisible(path.relative(here, one))}`).join("\n")
      yield* say(`The hooks run these files; changing any of them ends trust:\n${files}`)
    }
    if (Option.exists(accepted, (digest) => ProjectFile.isUnchanged(file.value, digest)))
      return yield* say("Already trusted.")
    if (open && hooks.length > 0) {
      yield* say(
        "These hooks can run any file of the project. In a sandbox they run read-only and without network;\nwithout one, trust ends as soon as any file of the project changes."
      )
    }
    const counted = [
      many(hooks.length, "hook"),
      many(approvals?.rules?.length ?? 0, "rule"),
      ...(Object.keys(workers).length === 0 ? [] : [many(Object.keys(workers).length, "worker")]),
      ...(commands.commands.length === 0 ? [] : [many(commands.commands.length, "command")]),
      ...(servers.servers.length === 0 ? [] : [many(servers.servers.length, "MCP server")])
    ]
    const what = `${counted.slice(0, -1).join(", ")} and ${counted.at(-1)}`
    if (!yes) {
      if (!interactive) {
        return yield* new NobodyToAsk({
          reason: "No terminal to confirm in. Read the file, then run tollgate trust --yes."
        })
      }
      const line = yield* (yield* Ui).question(`Trust ${what} of this project until they change? y/N`)
      if (!Option.exists(line, isYes)) return yield* say("It stays untrusted.")
    }
    yield* (yield* Trust).accept(here, ProjectFile.acceptance(file.value))
    yield* say(`Trusted: ${what} apply from the next task on. tollgate trust revoke undoes this.`)
    for (const { name } of servers.servers)
      yield* say(
        `MCP server ${name} has no tools yet: tollgate mcp trust ${name} starts it, shows them and approves them.`
      )
  }).pipe(
    Effect.provide(Records.decided),
    Effect.provide(Frontend.layer({ split: false, keys: !yes && !json })),
    Effect.provide(Configuration.layer())
  )

export const revoke = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function* () {
    const here = yield* project
    const was = yield* (yield* Trust).withdraw(here)
    if (json) return yield* JsonOutput.document({ project: here, revoked: was })
    yield* say(was ? `${makeVisible(here)} is no longer trusted.` : `${makeVisible(here)} was not trusted.`)
  }).pipe(
    Effect.provide(Records.decided),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(Configuration.layer())
  )

export const list = ({ json, jsonl }: JsonOutput.JsonOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    const all = yield* (yield* Trust).list
    const { answer } = yield* Screen
    if (json || jsonl)
      return yield* answer(
        JsonOutput.render(
          all.map((one) => JSON.stringify(one)),
          { json }
        )
      )
    if (all.length === 0) return yield* say("No project is trusted.")
    const day = (millis: number) => DateTime.formatIsoDateUtc(DateTime.unsafeMake(millis))
    yield* answer(
      all
        .map(({ digest, project, trustedAt }) => `${day(trustedAt)}  ${digest.slice(0, 12)}  ${makeVisible(project)}\n`)
        .join("")
    )
  }).pipe(
    Effect.provide(Records.decided),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
