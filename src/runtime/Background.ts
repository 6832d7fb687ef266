import * as Effect from "effect/Effect"
import {
  type BackgroundCommand,
  type BackgroundCommands,
  BackgroundRefused,
  closed
} from "../process/BackgroundCommands.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as News from "./backgroundNews.ts"
import { BackgroundEnded, BackgroundStarted } from "./RuntimeEvent.ts"
import { backgroundContained } from "./partsContained.ts"
import type { EventLog } from "./EventLog.ts"

/** The background of one session. */
export interface Background {
  /** What the model has not been told of commands that nobody stopped and that have ended; each is given once. */
  readonly news: () => ReadonlyArray<string>
  /** Takes a command that runs in the foreground, or all of them. */
  readonly detach: (callId?: string) => Effect.Effect<void, BackgroundRefused>
  /** Ends all of it. */
  readonly end: Effect.Effect<void>
}

/** Opens the background of a session, whose log hears of what starts and ends in it. */
export const make = (
  given: BackgroundCommands["Type"] | undefined,
  session: string,
  log: EventLog,
  /** What the model has not been told of those that ended with an earlier runtime. */
  before: ReadonlyArray<string>
): Effect.Effect<Background> =>
  Effect.gen(function* () {
    let news = [...before]
    const commands = given && backgroundContained(given)
    const told = ({ command, directory, end, id, stopped }: BackgroundCommand) => {
      if (end === undefined) return log.emit(new BackgroundStarted({ id, command, directory }, trusted), {})
      if (!stopped) news.push(News.told({ id, reason: end.reason }, true))
      return log.emit(new BackgroundEnded({ id, command, ...end, stopped }, trusted), {})
    }
    return {
      news: () => {
        const all = news
        news = []
        return News.together(all)
      },
      detach: (callId) =>
        commands === undefined ? new BackgroundRefused({ reason: closed }) : commands.detach(session, callId),
      end: commands === undefined ? Effect.void : yield* commands.open(session, told)
    }
  })
