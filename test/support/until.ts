// @effect-diagnostics asyncFunction:off - looks at what real processes do
import { setTimeout } from "node:timers/promises"

/** Waits for what another process does; the test's own deadline bounds it. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await setTimeout(10)
}
