import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Surroundings } from "../../host/Surroundings.ts"
import { duration } from "../../text/duration.ts"
import { makeVisible } from "../../text/visible.ts"
import type { Answer, Approval } from "../../ui/Display.ts"
import { Ui } from "../../ui/Ui.ts"
import * as WorkerTree from "../../ui/WorkerTree.ts"
import { approvalPrompt } from "./approval/approvalPrompt.ts"
import type { Edit } from "./approval/editing.ts"
import { Composer } from "./Composer.ts"
import { header } from "./header.ts"
import { isCtrl } from "./Key.ts"
import { Interruptions } from "./Interruptions.ts"
import { Keyboard } from "./Keyboard.ts"
import { fit, hanging, wrap } from "./Layout.ts"
import { modeMark } from "./modeText.ts"
import { showPages } from "./pages.ts"
import * as Questions from "./Questions.ts"
import { Region } from "./Region.ts"
import { sandboxMark } from "./sandboxText.ts"
import { Screen } from "./Screen.ts"
import { offerText, toolRequest } from "./toolRequest.ts"
import { toolRows } from "./toolRows.ts"
import { paged } from "./transcript/Folded.ts"
import { Transcript } from "./transcript/Transcript.ts"

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameTime = Duration.millis(120)
/** Whether the user has named an editor. */
const hasEditor = ({ env }: Surroundings["Type"]): boolean => Boolean(env["VISUAL"] || env["EDITOR"])
/** Rows of the tree of workers. */
const treeRows = 8

/** The terminal as a frontend: text that only grows, and a region at the bottom that says what is going on. */
export const layer: Layer.Layer<Ui, never, Screen | Keyboard | Region | Composer | Interruptions> = Layer.scoped(
  Ui,
  Effect.gen(function* () {
    const screen = yield* Screen
    const region = yield* Region
    const keyboard = yield* Keyboard
    const composer = yield* Composer
    const interruptions = yield* Interruptions
    const scope = yield* Effect.scope
    const surroundings = Option.filter(yield* Effect.serviceOption(Surroundings), hasEditor)
    const { style } = screen
    const clock = yield* Effect.clock
    const transcript = new Transcript({ style, width: screen.width, split: screen.split, live: screen.live })
    /** Whether somebody was writing when the question was over, which `up` brings back. */
    let isKept = false
    const unfinished = (text: string) =>
      Effect.suspend(() => {
        isKept = true
        composer.editor.keep(text)
        return region.redraw
      })
    const questions = Questions.make({
      screen,
      region,
      keyboard,
      interruptions,
      bound: composer.boundAlways,
      unfinished
    })
    let status: { readonly text: string; readonly since: number } | undefined
    let frame = 0
    let workers = WorkerTree.empty

    /** The tree while one of the workers runs. */
    const tree = (): ReadonlyArray<string> =>
      workers.nodes.some(WorkerTree.isOpen)
        ? WorkerTree.rows(workers, clock.unsafeCurrentTimeMillis(), treeRows).map(({ status: how, text }) => {
            const fitted = fit(text, screen.width() - 1)
            return how === "waiting" ? style.yellow(fitted) : how === "running" ? fitted : style.dim(fitted)
          })
        : []

    const stated = ({ since, text }: { readonly text: string; readonly since: number }): string => {
      const time = duration(Math.floor((clock.unsafeCurrentTimeMillis() - since) / 100) * 100)
      return `${text} · ${time}${screen.interactive && !composer.isResting() ? " · esc stops" : ""}`
    }
    yield* region.place({
      running: () => [
        ...transcript.live(),
        ...tree(),
        ...(status === undefined
          ? []
          : [`${style.cyan(frames[frame % frames.length] ?? "")} ${style.dim(stated(status))}`])
      ]
    })
    if (screen.live) {
      const tick = Effect.suspend(() => {
        frame++
        return status === undefined && transcript.live().length === 0 ? Effect.void : region.changed
      })
      yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced(frameTime)))
    }

    /** The pager of what was printed in part, while it is open. */
    const unfolding = yield* FiberHandle.make<void>()
    const unfold = Effect.suspend(() => showPages(paged(transcript.folded), interruptions.interrupt)).pipe(
      Effect.provideService(Screen, screen),
      Effect.provideService(Keyboard, keyboard)
    )
    yield* composer.bind({
      matches: (key) => isCtrl(key, "o"),
      run: Effect.suspend(() =>
        transcript.folded.length === 0 ? Effect.void : FiberHandle.run(unfolding, unfold, { onlyIfMissing: true })
      )
    })

    /** Lets nothing come between a question and its answer, nor anything stand before it. */
    const asking = <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.zipRight(
          FiberHandle.clear(unfolding),
          Effect.suspend(() => region.print(transcript.ask()))
        ),
        () => self,
        () => Effect.suspend(() => region.print(transcript.asked()))
      )
    /** In the user's own editor where one is named, which then has the terminal; in the place of the composer otherwise. */
    const edit: Edit = (text, above) =>
      Option.match(surroundings, {
        onNone: () => questions.change(`${style.cyan("edit")} `, text, above),
        onSome: (here) =>
          Effect.promise(() => import("./editor/externalEditor.ts")).pipe(
            Effect.flatMap(({ edited }) => keyboard.lend(edited(text, "parameters.json", unfinished))),
            Effect.provideService(Surroundings, here),
            Effect.asSome
          )
      })
    const approve = (approval: Approval) =>
      Effect.suspend(() => {
        let left = false
        isKept = false
        const interrupt = Effect.suspend(() => {
          left = true
          return interruptions.interrupt
        })
        const prompt = region.lend((bottom) =>
          approvalPrompt(approval, {
            screen: { ...screen, bottom, height: region.height },
            keyboard,
            ask: questions.readInTime,
            edit,
            interrupt
          })
        )
        return Effect.zipRight(composer.takeBackLetter, asking(prompt)).pipe(
          Effect.onInterrupt(() =>
            left
              ? Effect.void
              : Effect.asVoid(Effect.forkIn(Effect.interruptible(questions.discard(() => isKept)), scope))
          )
        )
      })

    return Ui.of({
      start: ({ id, mode, profile, sandbox }) => {
        const marks = [modeMark(mode, style), sandboxMark(makeVisible(sandbox), style)]
        return region.print([{ to: "progress", text: header([profile, id], marks, [], screen) }])
      },
      stop: Effect.suspend(() => {
        status = undefined
        return Effect.zipRight(region.print(transcript.end()), region.redraw)
      }),
      display: (display) => Effect.suspend(() => region.print(transcript.render(display))),
      diff: (diff) => Effect.suspend(() => region.print(transcript.diff(diff))),
      progress: ({ call, current, label, total }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const far = current === undefined ? "" : total === undefined ? ` ${current}` : ` ${current}/${total}`
          const text = `${makeVisible(`${call.tool}${label === undefined ? "" : `: ${label}`}`)}${far}`
          status = { text, since: status?.since ?? now }
          return region.changed
        }),
      workers: (now) =>
        Effect.suspend(() => {
          workers = now
          return region.changed
        }),
      status: (text) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (text !== undefined && status?.text === text) return Effect.void
          status = text === undefined ? undefined : { text: makeVisible(text), since: now }
          return region.changed
        }),
      approve: (approval) =>
        screen.interactive
          ? approve(approval)
          : Effect.succeed<Answer>({ decision: "deny", reason: "no one is attached to answer", frontend: "terminal" }),
      input: composer.next,
      question: (question) =>
        asking(
          Effect.gen(function* () {
            const lines = wrap(makeVisible(question), screen.width() - 4)
            const text = lines.map((line, index) => `${index === 0 ? style.cyan("? ") : "  "}${line}\n`).join("")
            yield* region.print([{ to: "progress", text }])
            return screen.interactive ? yield* questions.read(`${style.cyan("answer")} `) : Option.none()
          })
        ),
      interruptions: interruptions.all,
      asides: composer.asides,
      showTools: (tools) =>
        Effect.suspend(() => region.print([{ to: "progress", text: toolRows(tools, style, screen.width()) }])),
      toolRequests: (offer) =>
        screen.interactive
          ? asking(
              Effect.zipRight(
                region.print([
                  { to: "progress", text: `\n${hanging(`${style.cyan("?")} `, offerText(offer), screen.width() - 1)}` },
                  { to: "progress", text: toolRows(offer.tools, style, screen.width()) }
                ]),
                toolRequest(offer, {
                  ask: (question) => questions.read(style.cyan(question)),
                  say: (text, level) =>
                    region.print([
                      { to: "progress", text: `${level === "error" ? style.red("✗") : "·"} ${makeVisible(text)}\n` }
                    ])
                })
              )
            )
          : Effect.succeedNone,
      notify: () => (screen.interactive ? screen.bell : Effect.void)
    })
  })
)
