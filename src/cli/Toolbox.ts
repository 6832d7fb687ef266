import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as os from "node:os"
import { Configuration } from "../config/Configuration.ts"
import { directories, type Home } from "../config/Home.ts"
import type { Settings } from "../config/Settings.ts"
import { NetworkRules } from "../policy/network/NetworkRules.ts"
import { Processes } from "../process/Processes.ts"
import * as Configured from "../sandbox/Configured.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/SandboxUnavailable.ts"
import * as Builtin from "../tools/Builtin.ts"
import { timeouts } from "../tools/shell/ShellSettings.ts"
import type { WorkspaceOptions } from "../tools/Workspace.ts"
import type { WebSettingsShape } from "../tools/web/WebSettings.ts"

/** The tools of an agent. */
export const { tools } = Builtin

export interface Place {
  readonly workspace: string
  readonly home: Home
  readonly settings: Settings
  /** Where commands run; by the settings where absent. */
  readonly sandbox?: Layer.Layer<Sandbox, SandboxUnavailable>
}

/** What fetches reach by the user's word. */
export const webOf = ({ network = {} }: Settings): WebSettingsShape => {
  const { allowHosts, denyHosts = [], open = [], unaskedHosts = [] } = network
  return {
    rules: NetworkRules.make({ ...(allowHosts && { allowHosts }), denyHosts, optIn: open }),
    unasked: unaskedHosts
  }
}

/** Where file tools work; our own files are out of their reach, but for the results kept for the session that calls. */
export const workspaceOf = ({ home, settings, workspace }: Omit<Place, "sandbox">): WorkspaceOptions => ({
  root: workspace,
  extraRoots: settings.roots ?? [],
  home: os.homedir(),
  stateDirs: directories(home),
  readable: [home.results],
  trusted: false
})

/** Where commands run by the user's word; it is tried out, and fails where it is named and not there. */
export const sandbox = (settings: Settings, workspace: string): Layer.Layer<Sandbox, SandboxUnavailable> =>
  Layer.provide(Configured.layer(settings.sandbox ?? {}, workspace), Processes.layer)

/** What the tools require, confined to a place; our own state is out of their reach. */
export const layer = ({ home, settings, workspace, ...place }: Place) =>
  Layer.suspend(() => {
    const { rules, unasked } = webOf(settings)
    return Layer.provideMerge(
      place.sandbox ?? sandbox(settings, workspace),
      Builtin.layerUnsandboxed({
        workspace: workspaceOf({ home, settings, workspace }),
        network: rules,
        unaskedHosts: unasked,
        shell: { network: settings.sandbox?.network ?? false, ...timeouts(settings.timeouts ?? {}) },
        ...(settings.path === undefined ? {} : { path: settings.path })
      })
    )
  }).pipe(Layer.provideMerge(NodeFileSystem.layer))

/** What the tools require by the configuration. A sandbox that is named is tried out at once, detecting one can wait. */
export const configured = (workspace: string) =>
  Effect.gen(function* () {
    const { home, settings } = yield* Configuration
    const place = { home, settings, workspace }
    const { target = "detect" } = settings.sandbox ?? {}
    if (target === "detect") return layer(place)
    return layer({ ...place, sandbox: Layer.succeedContext(yield* Layer.build(sandbox(settings, workspace))) })
  })
