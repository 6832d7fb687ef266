import * as Context from "effect/Context"
import type { HostPattern } from "../../policy/network/HostPattern.ts"
import { defaultRules, type NetworkRules } from "../../policy/network/NetworkRules.ts"

export interface WebSettingsShape {
  /** The same rules as those of the guard, so that what it would refuse is refused before anyone is asked. */
  readonly rules: NetworkRules
  /** Hosts that are fetched from unasked; none where empty. */
  readonly unasked: ReadonlyArray<HostPattern>
}

export class WebSettings extends Context.Reference<WebSettings>()("tollgate/tools/WebSettings", {
  defaultValue: (): WebSettingsShape => ({ rules: defaultRules, unasked: [] })
}) {}
