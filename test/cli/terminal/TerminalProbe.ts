// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach } from "@effect/vitest"
import { type Options, type Probe, probe } from "../../support/terminal.ts"
import type { Place } from "../command.ts"

export { type Probe, probe }

/** Opens terminals that are closed when their test is over. */
export const probes = (at: () => Place) => {
  let open: Array<Probe> = []
  afterEach(async () => {
    for (const one of open) one.kill()
    await Promise.all(open.map(({ ended }) => ended))
    open = []
  })
  return async (args: ReadonlyArray<string>, options?: Options): Promise<Probe> => {
    const opened = await probe(at(), args, options)
    open.push(opened)
    return opened
  }
}
