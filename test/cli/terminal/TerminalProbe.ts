// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert } from "@effect/vitest"
import { type Options, type Probe, probe } from "../../support/terminal.ts"
import type { Place } from "../command.ts"

export { type Probe, probe }

/** Opens terminals that are closed when their test is over. */
export const probes = (at: () => Place) => {
  let opened: Array<Probe> = []
  afterEach(async () => {
    for (const one of opened) one.kill()
    await Promise.all(opened.map(({ ended }) => ended))
    opened = []
  })
  const open = async (args: ReadonlyArray<string>, options?: Options): Promise<Probe> => {
    const one = await probe(at(), args, options)
    opened.push(one)
    return one
  }
  /** The same with the prompt, once it is ready for keys. */
  const prompt = async (args: ReadonlyArray<string> = [], options?: Options): Promise<Probe> => {
    const one = await open(args, options)
    await one.idle()
    return one
  }
  return { open, prompt }
}

/** Leaves the prompt on ctrl-d, in good order. */
export const leave = async (terminal: Probe): Promise<void> => {
  terminal.press("\u0004")
  assert.strictEqual(await terminal.ended, 0)
}
