import type { Settings } from "../config/Settings.ts"
import { NetworkRules } from "../policy/network/NetworkRules.ts"
import type { WebSettingsShape } from "../tools/web/WebSettings.ts"

/** What fetches reach by the user's word. */
export const webOf = ({ network = {} }: Settings): WebSettingsShape => {
  const { allowHosts, denyHosts = [], open = [], unaskedHosts = [] } = network
  return {
    rules: NetworkRules.make({ ...(allowHosts && { allowHosts }), denyHosts, optIn: open }),
    unasked: unaskedHosts
  }
}
