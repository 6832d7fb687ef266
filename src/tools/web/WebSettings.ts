import * as Context from "effect/Context"
import type { HostPattern } from "../../policy/network/HostPattern.ts"
import { defaultRules, type NetworkRules } from "../../policy/network/NetworkRules.ts"

export interface WebSettingsShape {
  /** The rules of the guard; a URL it would refuse is refused before anyone is asked. */
  readonly rules: NetworkRules
  /** Hosts to fetch from without asking; empty for none. */
  readonly unasked: ReadonlyArray<HostPattern>
}

export class WebSettings extends Context.Reference<WebSettings>()("tollgate/tools/WebSettings", {
  defaultValue: (): WebSettingsShape => ({ rules: defaultRules, unasked: [] })
}) {}
