// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalTimers:off - drives real processes from outside
import { spawn } from "@lydell/node-pty"
import type * as Headless from "@xterm/headless"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { StringDecoder } from "node:string_decoder"
import { setTimeout } from "node:timers/promises"
import type { Place } from "../cli/command.ts"
import { built } from "./built.ts"

/** How long something may take to appear before the test fails with what is there instead; a pass costs none of it. */
const patienceMillis = 90_000

/** Its entry for bundlers names a file that is not there. */
const { Terminal: Screen } = createRequire(path.resolve("package.json"))("@xterm/headless") as typeof Headless

export interface Options {
  /** Keeps the blanks at the ends of rows. */
  readonly blanks?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** Starts it as a background job of the shell. */
  readonly background?: boolean
  /** Starts it as a job of the shell, which says when it is stopped and continues it at the line `fg`. */
  readonly job?: boolean
}

/**
 * Runs the command, says how it ended where no screen shows it, and keeps the terminal open until it is killed: what was
 * written last cannot be lost with a terminal that closes first. The trap leaves ctrl-c to the command alone.
 */
const witness = 'trap : INT; "$@"; printf "\\033]7777;%d\\007" "$?"; exec sleep 600'
/** The same for a job, which is not in the terminal's foreground; a job that was stopped ends as killed. */
const jobWitness =
  'set -m; "$@" & wait $!; code=$?; kill -KILL %1 2>&-; printf "\\033]7777;%d\\007" "$code"; exec sleep 600'
/** A job in the foreground, as a shell has it that reads commands. */
const stoppable =
  'set -m; "$@"; code=$?; while [ "$code" = 148 ]; do echo "stopped 148"; read -r _; fg >/dev/null; code=$?; done; printf "\\033]7777;%d\\007" "$code"; exec sleep 600'
/** An empty prompt over a status line that counts no task: nothing runs, and the next key begins a new prompt. */
const idle = /^› ?\n [A-Z][A-Z -]+ · (?!.*\b\d+ tasks?\b).*(?![^])/m
const farewell = new RegExp(`${"\u001b"}\\]7777;(\\d+)${"\u0007"}`)

const shows = (screen: string, text: string | RegExp): void => {
  if (!(typeof text === "string" ? screen.includes(text) : text.test(screen)))
    throw new Error(`without ${String(text)}`)
}

/** The command in a real pseudo-terminal, and what a person would see in it. */
export interface Probe {
  readonly press: (keys: string) => void
  /** Resolves once the screen has its new size; what the command had written before is shown as it was meant. */
  readonly resize: (columns: number, rows: number) => Promise<void>
  /** Resolves with the screen once it shows the text; of a drawing only the whole is looked at. */
  readonly seen: (text: string | RegExp) => Promise<string>
  /** The same, once the prompt is empty below it and no task runs. */
  readonly idle: (text?: string | RegExp) => Promise<string>
  /** Resolves with the screen once the check passes; fails with what the check has last thrown. */
  readonly settles: (check: (screen: string) => void) => Promise<string>
  /** Every line, those that have scrolled away included. */
  readonly screen: () => string
  /** The same, with rows that the terminal itself has broken as one line. */
  readonly lines: () => ReadonlyArray<string>
  /** Everything that was written, escape sequences included. */
  readonly raw: () => string
  /** Whether the terminal hands over each key as it is typed. */
  readonly isRaw: () => boolean
  /** The process that was started, once it is there. */
  readonly started: () => number
  /** Resolves with the exit code; fails with what is on the screen where it goes on. */
  readonly ended: Promise<number>
  readonly kill: () => void
}

export const probe = async (at: Place, args: ReadonlyArray<string>, options: Options = {}): Promise<Probe> => {
  const { background = false, columns: cols = 80, env = {}, job = false, rows = 40 } = options
  const emulator = new Screen({ cols, rows, scrollback: 2000, allowProposedApi: true })
  const child = spawn(
    "/bin/sh",
    ["-c", job ? stoppable : background ? jobWitness : witness, "sh", process.execPath, await built(), ...args],
    {
      cols,
      rows,
      encoding: null,
      cwd: at.work,
      env: { ...at.env, TERM: "xterm-256color", ...env }
    }
  )
  let raw = ""
  let end = (_code: number) => {}
  const ended = new Promise<number>((resolve) => (end = resolve))
  const waiting = new Set<() => void>()
  const decoder = new StringDecoder()
  const take = (data: Buffer) => {
    raw += decoder.write(data)
    emulator.write(data, () => {
      waiting.forEach((look) => look())
      const code = farewell.exec(raw)?.[1]
      if (code !== undefined) end(Number(code))
    })
  }
  // Bytes, where no encoding is named.
  child.onData((data) => take(data as unknown as Buffer))
  /** What has been written and not come yet. */
  const drain = () => {
    const chunk = Buffer.alloc(64 * 1024)
    try {
      for (;;) {
        const length = fs.readSync((child as unknown as { readonly fd: number }).fd, chunk)
        if (length === 0) return
        take(Buffer.from(chunk.subarray(0, length)))
      }
    } catch {
      // Nothing is there for now, or nobody who writes.
    }
  }
  child.onExit(({ exitCode }) => end(exitCode))
  const screen = () => {
    const { active } = emulator.buffer
    const lines = Array.from({ length: active.length }, (_, index) => {
      // Of a line that was longer once the emulator keeps what nobody sees any more.
      const row = active.getLine(index)?.translateToString(true, 0, emulator.cols) ?? ""
      return options.blanks === true ? row : row.trimEnd()
    })
    return lines.join("\n").trimEnd()
  }
  const settles = (check: (screen: string) => void) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (emulator.modes.synchronizedOutputMode) return
        const shown = screen()
        try {
          check(shown)
        } catch {
          return
        }
        waiting.delete(look)
        resolve(shown)
      }
      waiting.add(look)
      const giveUp = (why: string) => {
        look()
        if (!waiting.delete(look)) return
        const shown = screen()
        try {
          check(shown)
        } catch (cause) {
          return reject(
            new Error(`${why}: ${cause instanceof Error ? cause.message : String(cause)}\n${shown}`, { cause })
          )
        }
        resolve(shown)
      }
      void ended.then(() => giveUp("ended"))
      void setTimeout(patienceMillis, undefined, { ref: false }).then(() => giveUp("waited"))
      look()
    })
  return {
    press: (keys) => child.write(keys),
    resize: (columns, rows) => {
      child.resize(columns, rows)
      drain()
      return new Promise((resolve) => {
        emulator.write("", () => {
          emulator.resize(columns, rows)
          resolve()
        })
      })
    },
    seen: (text) => settles((shown) => shows(shown, text)),
    idle: (text = "") =>
      settles((shown) => {
        shows(shown, idle)
        shows(shown, text)
      }),
    settles,
    screen,
    lines: () => {
      const { active } = emulator.buffer
      const lines: Array<string> = []
      for (let index = 0; index < active.length; index++) {
        const row = active.getLine(index)
        const whole = active.getLine(index + 1)?.isWrapped !== true
        const text = row?.translateToString(whole) ?? ""
        if (row?.isWrapped === true) lines.push(`${lines.pop() ?? ""}${text}`)
        else lines.push(text)
      }
      while (lines.at(-1) === "") lines.pop()
      return lines
    },
    raw: () => raw.replace(farewell, ""),
    isRaw: () => {
      const name = (child as unknown as { readonly ptsName: string }).ptsName
      return execFileSync("stty", ["-F", name, "-a"], { encoding: "utf8" }).includes("-icanon")
    },
    started: () => Number(fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim()),
    get ended() {
      const late = () => Promise.reject(new Error(`It has not ended:\n${screen()}`))
      return Promise.race([ended, setTimeout(patienceMillis, undefined, { ref: false }).then(late)])
    },
    kill: () => {
      try {
        process.kill(-child.pid, "SIGKILL")
      } catch {
        // Everything in it has ended already.
      }
    }
  }
}
