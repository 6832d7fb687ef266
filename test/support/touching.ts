import type { Touches } from "../../src/tool/Touches.ts"

interface Params {
  readonly command?: string
  readonly cwd?: string
  readonly path?: string
  readonly url?: string
}

/** What a tool of a test touches, whose parameters have the names of those of the built-in tools. */
export const touching = (params: unknown): Touches => {
  const { command, cwd, path, url } = params as Params
  return {
    ...(command !== undefined && { command: { text: command, cwd } }),
    ...(path !== undefined && { paths: [{ path, op: "write" }] }),
    ...(url !== undefined && { hosts: [url] }),
    complete: true
  }
}
