// @effect-diagnostics asyncFunction:off - drives real programs from outside
import * as path from "node:path"
import { launcher } from "./place.ts"

/** What a revision requires of clients: the sets, and the whole suites besides. */
const sets = ["2025-11-25", "2026-07-28"]

/** Runs the scenarios for clients against Tollgate as the client of the suite's servers. */
export const clients = async <Result>({
  only,
  run,
  told
}: {
  readonly only: ReadonlyArray<string>
  readonly run: (args: ReadonlyArray<string>) => Promise<Result>
  readonly told: (title: string, result: Result) => void
}) => {
  const command = [process.execPath, path.join(process.cwd(), "scripts/conformance/client.mjs"), launcher].join(" ")
  const base = ["client", "--command", command, "--timeout", "60000"]
  if (only.length === 0) for (const set of sets) told(`Clients, ${set}`, await run([...base, "--requirements", set]))
  for (const scenario of only) told(`Clients, ${scenario}`, await run([...base, "--scenario", scenario]))
}
