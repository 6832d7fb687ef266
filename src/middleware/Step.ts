import { members, stack, type Any, type Change, type Middleware } from "./Middleware.ts"

/** What a middleware is called where a stack is shown to people. */
export interface Step {
  readonly step: string
  /** Its configuration in words, e.g. `3 attempts, 100 ms × 2 up to 10 s`; may be empty. */
  readonly detail: string
}

const Label = Symbol.for("tollgate/middleware/Step")

/** The name of a middleware; for one that has none, that of its function. */
export const stepOf = (self: Any): Step => {
  const label: Step | undefined = Reflect.get(self, Label)
  return label ?? { step: self.name === "" ? "middleware" : self.name, detail: "" }
}

type Untyped = (...args: ReadonlyArray<never>) => unknown

const relabel = (self: Any, label: Step): Any => {
  const inner = self as unknown as Untyped
  const named: Untyped = (...args) => inner(...args)
  return Object.assign(named, { [Label]: label }) as unknown as Any
}

/** The same middleware under a name, which prefixes those of a stack's members: `network › rate limit`. */
export const named = <
  Call,
  // oxlint-disable-next-line typescript/no-empty-object-type -- a middleware that changes nothing
  C extends Change = {}
>(
  step: string,
  detail: string,
  self: Middleware<Call, C>
): Middleware<Call, C> => {
  const whole = self as unknown as Any
  const parts = members(whole)
  const single = parts.length === 1 && parts[0] === whole
  const made: unknown = single ? relabel(whole, { step, detail }) : stack(...parts.map((part) => prefixed(step, part)))
  return made as Middleware<Call, C>
}

/** The same middleware with a name in front of its own. */
export const prefixed = (prefix: string, self: Any): Any => {
  const { detail, step } = stepOf(self)
  return relabel(self, { step: `${prefix} › ${step}`, detail })
}

/** The steps of a middleware, outermost first. */
export const steps = (self: Any): ReadonlyArray<Step> => members(self).map(stepOf)
