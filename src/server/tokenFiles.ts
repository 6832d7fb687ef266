import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { TokenStore } from "./TokenStore.ts"

/** The tokens of the user, beside the key of the audit. */
export const tokenStore: Layer.Layer<TokenStore, never, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => TokenStore.layerFiles(path.join(home.approvals, "tokens")))
)
