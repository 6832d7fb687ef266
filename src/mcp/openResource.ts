import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withinTime } from "../system/withinTime.ts"
import { NotApproved } from "./McpError.ts"
import type { ServerSlot } from "./ServerSlot.ts"

/** Milliseconds that templates may take to be compared with a URI. */
const patience = 1000

/**
 * The running server of a resource, if what the user has approved opens it. As long as a template of the server is not approved, only
 * what it lists and what an approved template stands for is open: to the server every template is one way to the same place.
 */
export const openResource = (slot: ServerSlot, uri: string) =>
  Effect.gen(function* () {
    const refused = (state: NotApproved["state"]) => new NotApproved({ server: slot.known.name, name: uri, state })
    if (!(yield* slot.standings).some(({ state }) => state === "approved")) return yield* refused("pending")
    const running = yield* slot.acquire
    // The running server may offer other templates than were known before.
    const templates = (yield* slot.standings).filter(({ kind }) => kind === "template")
    const closed = templates.find(({ state }) => state === "pending" || state === "changed")
    if (closed === undefined) return running
    const { UriTemplate } = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    const stands = Option.liftThrowable((name: string) => new UriTemplate(name).match(uri) !== null)
    const open = templates.filter(({ state }) => state === "approved").map(({ name }) => name)
    const isOpen = withinTime(patience, () => open.some((name) => Option.contains(stands(name), true)))
    if (Option.contains(isOpen, true)) return running
    const listed = yield* slot.resources
    return listed.some((resource) => resource.uri === uri)
      ? running
      : yield* refused(closed.state === "changed" ? "changed" : "pending")
  })
