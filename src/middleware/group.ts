import { members, stack, type Any, type CallOf, type Middleware, type Stacked } from "./Middleware.ts"
import { prefixed } from "./Step.ts"

/** Several middleware as one under a name, to be put around several tools or commands; the first is the outermost. */
export const group = <const Ms extends ReadonlyArray<Any>>(
  name: string,
  ...middleware: Ms
): Middleware<CallOf<Ms>, Stacked<Ms>> =>
  stack(...middleware.flatMap(members).map((member) => prefixed(name, member))) as unknown as Middleware<
    CallOf<Ms>,
    Stacked<Ms>
  >
