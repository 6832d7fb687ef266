import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as vm from "node:vm"
import { lazy } from "./lazy.ts"

const timedOut = "ERR_SCRIPT_EXECUTION_TIMEOUT"

const place = lazy(() => {
  const held: { compute?: (() => void) | undefined } = {}
  return { held, context: vm.createContext(held), script: new vm.Script("compute()") }
})

/**
 * What a computation that lets nothing else run comes to, or nothing where it takes more than these milliseconds: it is ended then,
 * whatever it does. To look after it costs about as much as to start a thread.
 */
export const withinTime = <A>(millis: number, compute: () => A): Option.Option<A> => {
  const { context, held, script } = place()
  let result: Option.Option<A> = Option.none()
  held.compute = () => {
    result = Option.some(compute())
  }
  try {
    script.runInContext(context, { timeout: millis })
  } catch (error) {
    if (!Predicate.hasProperty(error, "code") || error.code !== timedOut) throw error
    return Option.none()
  } finally {
    held.compute = undefined
  }
  return result
}
