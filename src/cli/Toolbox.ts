import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Layer from "effect/Layer"
import * as os from "node:os"
import * as path from "node:path"
import type { Home } from "../config/Home.ts"
import { Processes } from "../process/Processes.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { EditFile } from "../tools/EditFile.ts"
import { Glob } from "../tools/Glob.ts"
import { Grep } from "../tools/Grep.ts"
import { ListDir } from "../tools/ListDir.ts"
import { ReadFile } from "../tools/ReadFile.ts"
import { RunShell } from "../tools/RunShell.ts"
import { Workspace } from "../tools/Workspace.ts"
import { WriteFile } from "../tools/WriteFile.ts"

/** The tools of an agent. */
export const tools = [ListDir, ReadFile, Glob, Grep, WriteFile, EditFile, RunShell] as const

export interface Place {
  readonly workspace: string
  readonly roots: ReadonlyArray<string>
  readonly home: Home
}

/** What the tools require, confined to a place. */
export const layer = ({ home, roots, workspace }: Place) =>
  Layer.mergeAll(
    Workspace.layer({
      root: workspace,
      extraRoots: roots,
      home: os.homedir(),
      stateDirs: [path.dirname(home.config), path.dirname(home.database)],
      trusted: false
    }),
    Sandbox.layerDetect,
    Redactor.layer({})
  ).pipe(Layer.provideMerge(Processes.layer), Layer.provideMerge(NodeFileSystem.layer))
