import * as Effect from "effect/Effect"
import { approveServer } from "../../host/approveServer.ts"
import type { KnownServer } from "../../mcp/KnownServer.ts"
import type { Manifest } from "../../mcp/Manifest.ts"
import type { Standing } from "../../mcp/Pins.ts"
import { isUnchanged, programIn } from "../../mcp/ProgramState.ts"
import type { ServerState } from "../../mcp/StateFile.ts"
import { definitionDiff, standingTitle, standingWords } from "../../ui/serverWords.ts"
import * as JsonOutput from "../jsonOutput.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"
import { confirmed, say, services } from "./dialog.ts"
import { definedOffers } from "./documents.ts"
import { named, slotOf, stateFor } from "./slots.ts"

export interface OneOptions {
  readonly name: string
  readonly json: boolean
}

/** Every difference between what was approved and what is offered, whole. */
const showDiff = (standings: ReadonlyArray<Standing>) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    for (const standing of standings) {
      if (standing.state === "approved") continue
      const painted = definitionDiff(standing)
        .split("\n")
        .map((line) => (line.startsWith("+") ? style.green(line) : line.startsWith("-") ? style.red(line) : line))
      yield* answer(`${style.bold(standingTitle(standing))}\n${painted.join("\n")}\n\n`)
    }
  })

export const approve = (known: KnownServer, manifest: Manifest, names?: ReadonlySet<string>) =>
  Effect.flatMap(stateFor(known), (state) => approveServer(known, state, manifest, names))

/** Names the files of the project that a server runs, where those are not what was approved. */
const changedFiles = (known: KnownServer, { pins, project }: ServerState) =>
  Effect.gen(function* () {
    const before = yield* Effect.orElseSucceed(pins.read, () => undefined)
    if (before === undefined || isUnchanged(before, project, known)) return false
    yield* say(`What ${known.name} runs in ${project} is not what you approved. It runs by now:`)
    const files = programIn(project, known)?.files ?? ["nothing of it any more"]
    yield* Effect.forEach(files, (file) => say(`  ${file}`), { discard: true })
    return true
  })

const differing = (standings: ReadonlyArray<Standing>) => standings.filter(({ state }) => state !== "approved")

/** Starts a server and shows what it offers against what was approved. */
export const diff = ({ json, name }: OneOptions) =>
  Effect.gen(function* () {
    const known = yield* named(name)
    const slot = yield* slotOf(known)
    yield* slot.acquire
    const standings = yield* slot.standings
    if (json) return yield* JsonOutput.document({ name, differs: definedOffers(differing(standings)) })
    if (differing(standings).length === 0)
      return yield* say(`${name} offers what was approved: ${standingWords(standings)}.`)
    yield* showDiff(standings)
    yield* say(`${standingWords(standings)}. tollgate mcp trust ${name} approves what it offers now.`)
  }).pipe(Effect.scoped, Effect.provide(services(false)))

/** Starts a server, shows what is not approved of it, and approves that once the person says so. */
export const trust = ({
  name,
  only,
  yes
}: {
  readonly name: string
  readonly only: ReadonlyArray<string>
  readonly yes: boolean
}) =>
  Effect.gen(function* () {
    const known = yield* named(name)
    const state = yield* stateFor(known)
    const isChanged = yield* changedFiles(known, state)
    if (isChanged && !(yield* confirmed("Start it as it is now, and approve that?", yes)))
      return yield* say("Nothing was changed.")
    const slot = yield* slotOf(known)
    const manifest = yield* slot.refresh
    const { pins } = state
    // A file that cannot be read approves nothing, and this replaces it.
    const standings = yield* Effect.catchTag(slot.standings, "StateUnusable", (error) =>
      Effect.zipRight(say(error.message), Effect.zipRight(pins.remove, slot.standings))
    )
    const unknown = only.find((one) => !standings.some((standing) => standing.name === one))
    if (unknown !== undefined)
      return yield* new UsageError({ reason: `${name} has nothing called ${JSON.stringify(unknown)}.` })
    const wanted = differing(standings).filter((standing) => only.length === 0 || only.includes(standing.name))
    if (wanted.length === 0 && !isChanged)
      return yield* say(`${name}: all of it is approved (${standingWords(standings)}).`)
    yield* showDiff(wanted)
    if (wanted.length > 0 && !(yield* confirmed(`Approve ${standingWords(wanted)} of ${name} as shown?`, yes)))
      return yield* say("Nothing was changed.")
    yield* approve(known, manifest, only.length === 0 ? undefined : new Set(only))
    yield* say(`Approved. ${name}: ${standingWords(yield* slot.standings)}; sessions that begin from now on have it.`)
  }).pipe(Effect.scoped, Effect.provide(services(!yes)))
