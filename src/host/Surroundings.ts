import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** What a program hands over of the process it runs in; nothing else of Tollgate asks the process. */
export class Surroundings extends Context.Tag("tollgate/host/Surroundings")<
  Surroundings,
  {
    /** Where sessions begin; absolute. */
    readonly directory: string
    readonly env: Readonly<Record<string, string | undefined>>
    /** The system and its version, as models are told; those of this machine if unset. */
    readonly platform?: string
  }
>() {
  static readonly layer = (given: Surroundings["Type"]): Layer.Layer<Surroundings> => Layer.succeed(Surroundings, given)
}
