import * as Effect from "effect/Effect"
import {
  type BackgroundCommand,
  type BackgroundCommands,
  BackgroundRefused,
  closed
} from "../process/BackgroundCommands.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { BackgroundEnded, BackgroundStarted } from "./Event.ts"
import type { EventLog } from "./EventLog.ts"

/** The background of one session. */
export interface Background {
  /** What the model has not been told of commands that ended by themselves; each is given once. */
  readonly news: () => ReadonlyArray<string>
  /** Takes a command that runs in the foreground, or all of them. */
  readonly detach: (callId?: string) => Effect.Effect<void, BackgroundRefused>
  /** Ends all of it. */
  readonly end: Effect.Effect<void>
}

/** Commands that are told of at once; more of them are counted. */
const mostNews = 8

/** Opens the background of a session, whose log hears of what starts and ends in it. */
export const make = (
  commands: BackgroundCommands["Type"] | undefined,
  session: string,
  log: EventLog
): Effect.Effect<Background> =>
  Effect.gen(function* () {
    let news: Array<string> = []
    const told = ({ command, directory, end, id, stopped }: BackgroundCommand) => {
      if (end === undefined) return log.emit(new BackgroundStarted({ id, command, directory }, trusted), {})
      if (!stopped) news.push(`The background command ${id} has ended: ${end.reason}. read_output gives its output.`)
      return log.emit(new BackgroundEnded({ id, command, ...end, stopped }, trusted), {})
    }
    return {
      news: () => {
        const all = news
        news = []
        const more = all.length - mostNews
        return more > 0 ? [...all.slice(-mostNews), `${more} earlier ones have ended as well.`] : all
      },
      detach: (callId) =>
        commands === undefined ? new BackgroundRefused({ reason: closed }) : commands.detach(session, callId),
      end: commands === undefined ? Effect.void : yield* commands.open(session, told)
    }
  })
