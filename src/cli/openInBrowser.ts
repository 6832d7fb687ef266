import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../system/errno.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { temporaryName } from "../system/Temporary.ts"
import { warn } from "./warn.ts"

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** The program that opens a file as the user has chosen. */
const opener = process.platform === "darwin" ? "open" : "xdg-open"

/** Writes a file that only the user can read; why it could not, if so. */
const writePrivate = (file: string, text: string): string | undefined => {
  try {
    makeDirectory(path.dirname(file))
    fs.writeFileSync(file, text, { mode: 0o600, flag: "wx" })
    return undefined
  } catch (error) {
    return `${file}: ${systemReason(error)}`
  }
}

/**
 * Opens a URL in the user's browser by way of a page that only the user can read, until the scope ends: what a process is
 * called with, everybody on the machine can see.
 */
export const openInBrowser = (directory: string, url: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = `${temporaryName(path.join(directory, "open."))}.html`
    const page = `<meta http-equiv="refresh" content="0;url=${escaped(url)}">\n`
    const unwritten = yield* Effect.acquireRelease(
      Effect.sync(() => writePrivate(file, page)),
      () => Effect.sync(() => fs.rmSync(file, { force: true }))
    )
    if (unwritten !== undefined) return yield* warn(`No browser was opened: ${unwritten}. Open the address yourself.`)
    const opened = yield* Effect.async<boolean>((resume) => {
      const child = spawn(opener, [file], { detached: true, stdio: "ignore" })
      child.once("error", () => resume(Effect.succeed(false)))
      child.once("spawn", () => {
        child.unref()
        resume(Effect.succeed(true))
      })
    })
    if (!opened) yield* warn(`No browser was opened: there is no ${opener}. Open the address yourself.`)
  })
