import * as Layer from "effect/Layer"
import { GuardedFetch } from "../policy/network/GuardedFetch.ts"
import type { HostPattern } from "../policy/network/HostPattern.ts"
import { defaultRules, type NetworkRules } from "../policy/network/NetworkRules.ts"
import { BackgroundCommands } from "../process/BackgroundCommands.ts"
import { Processes } from "../process/Processes.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { ApplyPatch } from "./ApplyPatch.ts"
import { AskUser } from "./AskUser.ts"
import { Delegate } from "./Delegate.ts"
import { EditFile } from "./EditFile.ts"
import { FetchUrl } from "./FetchUrl.ts"
import { GitCommit } from "./GitCommit.ts"
import { GitDiff } from "./GitDiff.ts"
import { GitPush } from "./GitPush.ts"
import { GitStatus } from "./GitStatus.ts"
import { Glob } from "./Glob.ts"
import { Grep } from "./Grep.ts"
import { ListDir } from "./ListDir.ts"
import { NeedInput } from "./NeedInput.ts"
import { ReadFile } from "./ReadFile.ts"
import { Recall } from "./Recall.ts"
import { Remember } from "./Remember.ts"
import { ReadOutput } from "./ReadOutput.ts"
import { RunShell } from "./RunShell.ts"
import { SearchHistory } from "./SearchHistory.ts"
import { StopCommand } from "./StopCommand.ts"
import { defaults, ShellSettings, type ShellSettingsShape } from "./shell/ShellSettings.ts"
import { Todo } from "./Todo.ts"
import { ToolEnvironment } from "./ToolEnvironment.ts"
import { WebSettings } from "./web/WebSettings.ts"
import { Workspace, type WorkspaceOptions } from "./Workspace.ts"
import { WriteFile } from "./WriteFile.ts"

/** Every built-in tool, and the one that asks the user. */
export const tools = [
  ReadFile,
  ListDir,
  Glob,
  Grep,
  WriteFile,
  EditFile,
  ApplyPatch,
  RunShell,
  ReadOutput,
  StopCommand,
  FetchUrl,
  GitStatus,
  GitDiff,
  GitCommit,
  GitPush,
  Delegate,
  NeedInput,
  Todo,
  Remember,
  Recall,
  SearchHistory,
  AskUser
] as const

export interface BuiltinOptions {
  readonly workspace: WorkspaceOptions
  readonly shell?: Partial<ShellSettingsShape>
  readonly network?: NetworkRules
  /** Hosts that `fetch_url` reaches without asking. */
  readonly unaskedHosts?: ReadonlyArray<HostPattern>
  /** The whole environment of the programs that tools start. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where these programs look for others, instead of the `PATH` that there is; the workspace never counts. */
  readonly path?: ReadonlyArray<string>
}

/** Everything the built-in tools require except `Memory` and one of the layers of `Sandbox`. */
export const layerUnsandboxed = (options: BuiltinOptions) =>
  Layer.merge(Workspace.layer(options.workspace), layerServices(options))

/** Everything they require besides that and the workspace. */
export const layerServices = (options: Omit<BuiltinOptions, "workspace">) => {
  const rules = options.network ?? defaultRules
  return Layer.mergeAll(
    Processes.layer,
    BackgroundCommands.layer,
    GuardedFetch.layer(rules),
    Layer.succeed(WebSettings, { rules, unasked: options.unaskedHosts ?? [] }),
    Layer.succeed(ShellSettings, { ...defaults, ...options.shell }),
    options.path === undefined ? Layer.empty : ToolEnvironment.layerPath(options.path),
    options.environment === undefined ? Layer.empty : Layer.succeed(ToolEnvironment, options.environment)
  )
}

/** Everything the built-in tools require except `Memory`; programs run in the system's sandbox, if it has one. */
export const layer = (options: BuiltinOptions) =>
  Sandbox.layerDetect.pipe(Layer.provideMerge(layerUnsandboxed(options)))
