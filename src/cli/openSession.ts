import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Approvals } from "../approval/Approvals.ts"
import { Host } from "../host/Host.ts"
import { DeclareClientTools, SwitchModel } from "../runtime/Command.ts"
import { readyAnswers } from "../runtime/openRequests.ts"
import { recordedPlace } from "../runtime/recordedPlace.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { clientTools } from "../ui/clientCalls.ts"
import { open, type Which } from "../ui/Conversation.ts"
import type { Chosen } from "./checkProfile.ts"
import { ApprovalWaits } from "./Outcome.ts"
import { refuseUnconfined } from "./refuseUnconfined.ts"
import { resolve } from "./SessionId.ts"

/** Fails if a request of the session waits: its owner continues it, and asks. */
const nothingWaits = (session: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const { requests } = yield* store.unfinished(session)
    const ready = yield* readyAnswers(requests.map(({ id }) => id))
    const first = requests.find(({ id }) => !ready.has(id)) ?? requests[0]
    if (first === undefined) return
    const [asked] = yield* store.read(session, first.seq, 1)
    const tool = asked?.event._tag === "ApprovalRequested" ? asked.event.request.tool : "a tool"
    // Where a living process has it open, that is what to say.
    yield* Effect.scoped(store.open({ session }))
    return yield* new ApprovalWaits({
      session,
      approvalId: first.id,
      tool,
      ...(ready.has(first.id) ? { answered: true as const } : {})
    })
  })

/** The session that the options name, by any unique beginning of its id, and the project that it works in. */
export const projectOf = ({ last, session }: Omit<Chosen, "profile">) =>
  Effect.gen(function* () {
    const host = yield* Host
    const store = yield* SessionStore
    const here = yield* host.locate(host.directory)
    const named = Option.isSome(session) ? yield* resolve(session.value) : undefined
    const [latest] = last ? yield* store.list({ project: here.project, limit: 1 }) : []
    const id = named ?? latest?.id
    if (id === undefined) return { project: yield* host.project(here) }
    const { project } = yield* store.get(id)
    return { session: id, project: yield* host.project(yield* recordedPlace(store, { project, session: id })) }
  })

/**
 * Opens the session that the options name; a profile that was asked for holds for an old session too. Where somebody attends
 * to it, its calls can ask them; a program says itself which of its tools there are.
 */
export const openSession = (options: Chosen, attended: boolean | "program") =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { directory } = yield* Host
    const { project, session } = yield* projectOf(options)
    if (attended === false && session !== undefined) yield* nothingWaits(session)
    if ((yield* (yield* Approvals).state(session)).policy === "sandboxed") yield* refuseUnconfined(project)
    const which: Which = session !== undefined ? { _tag: "Named", session } : { _tag: options.last ? "Last" : "New" }
    const opened = yield* open(which, directory)
    if (attended === true)
      yield* runtime.request(new DeclareClientTools({ session: opened.session, tools: clientTools }))
    if (which._tag !== "New" && Option.isSome(options.profile)) {
      yield* runtime.request(new SwitchModel({ session: opened.session, profile: options.profile.value }))
    }
    return { ...opened, project }
  })
