// @effect-diagnostics processEnv:off - the edge of the process, before there is a runtime
import * as fs from "node:fs"
import * as tty from "node:tty"
import { inForeground } from "../../system/foreground.ts"

const prompt = "› "
/** Marks pastes, so that none is sent line by line before the program reads keys. */
const markPastes = "\u001b[?2004h"
const markNone = "\u001b[?2004l"
const eraseRow = "\r\u001b[K"

/** What sets modes of the terminal and shows nothing. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
const invisible = /^(?:\u001b\[[<=>?]?[\d;]*[A-Za-z])*$/

/** Whether the prompt will be a line that is typed into: a terminal that can move its cursor, and a profile to talk to. */
const isFitting = (settings: unknown): boolean => {
  const { TERM, TOLLGATE_SCREEN_READER } = process.env
  if (!tty.isatty(0) || !tty.isatty(1) || TERM === undefined || TERM === "dumb") return false
  if (TOLLGATE_SCREEN_READER !== undefined && TOLLGATE_SCREEN_READER !== "false") return false
  if (typeof settings !== "object" || settings === null) return false
  const { profiles, screenReader } = settings as { readonly profiles?: object; readonly screenReader?: unknown }
  return screenReader !== true && Object.keys(profiles ?? {}).length > 0 && inForeground()
}

/**
 * Shows a prompt and takes keys while the program still loads; it finds them when it reads. The first thing that is printed
 * takes the place of the prompt, and so does the end of the process.
 */
export const showPrompt = (settings: unknown): void => {
  if (!isFitting(settings)) return
  // The program hears of them as soon as it has loaded, and then leaves the terminal as it was.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => {})
  process.stdin.setRawMode(true)
  fs.writeSync(1, `${markPastes}${prompt}`)
  const streams = [process.stdout, process.stderr]
  /** The program reads the keys by now, and has set what it needs for that. */
  let isRead = false
  const clear = () => {
    process.off("exit", clear)
    for (const stream of streams) Reflect.deleteProperty(stream, "write")
    fs.writeSync(1, isRead ? eraseRow : `${markNone}${eraseRow}`)
  }
  process.once("exit", clear)
  for (const stream of streams) {
    const write = stream.write.bind(stream)
    const first = (...args: Parameters<typeof write>) => {
      if (invisible.test(String(args[0]))) isRead = true
      else clear()
      return write(...args)
    }
    Object.assign(stream, { write: first })
  }
}
