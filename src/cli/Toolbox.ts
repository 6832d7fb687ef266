import * as Layer from "effect/Layer"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as os from "node:os"
import * as path from "node:path"
import type { Home } from "../config/Home.ts"
import * as Builtin from "../tools/Builtin.ts"

/** The tools of an agent. */
export const { tools } = Builtin

export interface Place {
  readonly workspace: string
  readonly roots: ReadonlyArray<string>
  readonly home: Home
}

/** What the tools require, confined to a place; our own state is out of their reach. */
export const layer = ({ home, roots, workspace }: Place) =>
  Layer.suspend(() =>
    Builtin.layer({
      workspace: {
        root: workspace,
        extraRoots: roots,
        home: os.homedir(),
        stateDirs: [path.dirname(home.config), path.dirname(home.database)],
        trusted: false
      }
    })
  ).pipe(Layer.provideMerge(NodeFileSystem.layer))
