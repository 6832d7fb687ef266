import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Audit } from "../audit/Audit.ts"
import type { KnownServer } from "../mcp/KnownServer.ts"
import type { Manifest } from "../mcp/Manifest.ts"
import { approving } from "../mcp/Pins.ts"
import { stampIn } from "../mcp/ProgramState.ts"
import type { ServerState, StateUnusable } from "../mcp/StateFile.ts"

/** Approves what a server offers, or what is named of it; the audit has it first. */
export const approveServer = (
  known: KnownServer,
  { pins, project }: ServerState,
  manifest: Manifest,
  names?: ReadonlySet<string>
): Effect.Effect<void, StateUnusable, Audit> =>
  Effect.gen(function* () {
    const before = yield* Effect.orElseSucceed(pins.read, () => undefined)
    const stamp = stampIn(project, known)
    const programs = stamp === undefined ? before?.programs : { ...before?.programs, [project]: stamp }
    const next = approving(before, manifest, yield* Clock.currentTimeMillis, names, programs)
    yield* (yield* Audit).commit({
      kind: "mcp_approved",
      session: "",
      decided_by: "user",
      reason: `MCP server ${known.name}`,
      arguments: { server: known.name, identity: next.identity, digests: next.approved.map(({ digest }) => digest) }
    })
    yield* pins.write(next)
  })
