import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { stack, type Any, type Change, type Fails, type Middleware, type Requires } from "./Middleware.ts"

/** Middleware came after the stack had been built. */
export class StackSealed extends Schema.TaggedError<StackSealed>()("StackSealed", { target: Schema.String }) {
  override get message() {
    const target = this.target === "*" ? "everything" : JSON.stringify(this.target)
    return `The middleware for ${target} was registered too late: the stack is sealed at the first call. Register it earlier.`
  }
}

/** What a registered middleware may change: it stays within what the registry declares. */
export interface Within<C extends Change> {
  readonly fails?: Fails<C>
  readonly requires?: Requires<C>
  readonly handles?: never
  readonly provides?: never
}

/** The built stacks of a registry; nothing can be added. */
export interface Sealed<in Call, in out C extends Change> {
  /** Global middleware outside specific; for `a b` what is registered for `a` outside that for `a b`. */
  readonly for: (name: string) => Middleware<Call, C>
}

/** Middleware for everything or by name, in the order of registration, until it is sealed. */
export interface Registry<in out Call, in out C extends Change> {
  readonly use: <D extends Within<C>>(middleware: Middleware<Call, D>) => Effect.Effect<void, StackSealed>
  readonly useFor: <D extends Within<C>>(
    name: string,
    middleware: Middleware<Call, D>
  ) => Effect.Effect<void, StackSealed>
  readonly seal: Effect.Effect<Sealed<Call, C>>
}

/** `sessions`, then `sessions list`. */
const lineage = (name: string): ReadonlyArray<string> => {
  const words = name.split(" ")
  return words.map((_, index) => words.slice(0, index + 1).join(" "))
}

/** A registry whose middleware, together, may add the errors and requirements of `C`. */
export const make = <
  Call,
  // oxlint-disable-next-line typescript/no-empty-object-type -- middleware that changes nothing
  C extends Change = {}
>(): Effect.Effect<Registry<Call, C>> =>
  Effect.sync(() => {
    const global: Array<Any> = []
    const specific = new Map<string, Array<Any>>()
    const built = new Map<string, Middleware<Call, C>>()
    let sealed = false

    const add = (target: string, middleware: unknown) =>
      Effect.suspend(() => {
        if (sealed) return new StackSealed({ target })
        if (target === "*") global.push(middleware as Any)
        else specific.set(target, [...(specific.get(target) ?? []), middleware as Any])
        return Effect.void
      })
    const build = (name: string): Middleware<Call, C> => {
      const known = built.get(name)
      if (known !== undefined) return known
      const own = lineage(name).flatMap((ancestor) => specific.get(ancestor) ?? [])
      const made = stack(...global, ...own) as unknown as Middleware<Call, C>
      if (own.length > 0) built.set(name, made)
      return made
    }
    return {
      use: (middleware) => add("*", middleware),
      useFor: add,
      seal: Effect.sync(() => {
        sealed = true
        return { for: build }
      })
    }
  })
