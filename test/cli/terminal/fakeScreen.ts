import type { UserInput } from "@effect/platform/Terminal"
import { Effect } from "effect"
import type { Keyboard, OnKey } from "../../../src/cli/terminal/Keyboard.ts"
import type { Bottom, BottomLine } from "../../../src/cli/terminal/Drawing.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { plain, type Style } from "../../../src/cli/terminal/Style.ts"

/** A live screen that keeps what it is given; what stands at its bottom looks as it does when it is read. */
export const fakeScreen = ({
  style = plain,
  width = 80,
  height = 24
}: { style?: Style; width?: number; height?: number } = {}) => {
  let columns = width
  let printed = ""
  let bottom: Bottom | undefined
  let page: ReadonlyArray<string> | undefined
  const print = (text: string) => Effect.sync(() => void (printed += text))
  const line = (): BottomLine | undefined => (typeof bottom === "function" ? bottom() : bottom)
  const screen = Screen.of({
    style,
    interactive: true,
    live: true,
    plain: false,
    split: false,
    width: () => columns,
    height: () => height,
    page: (use) =>
      Effect.ensuring(
        use((rows) => Effect.sync(() => void (page = rows()))),
        Effect.sync(() => void (page = undefined))
      ),
    lend: (self) => self,
    progress: print,
    answer: print,
    clear: Effect.void,
    bottom: (line) => Effect.sync(() => void (bottom = line)),
    changed: Effect.void,
    bell: Effect.void
  })
  return {
    screen,
    printed: () => printed,
    line,
    /** The rows at the bottom. */
    rows: (): ReadonlyArray<string> => {
      const now = line()
      return now === undefined ? [] : [...(now.above ?? []), now.text]
    },
    page: () => page,
    resize: (width: number) => void (columns = width)
  }
}

/** A keyboard whose keys go to the one that has it last. */
export const fakeKeyboard = () => {
  let holders: ReadonlyArray<OnKey> = []
  const keyboard: Keyboard["Type"] = {
    lend: (self) => self,
    focus: (onKey) => (self) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void (holders = [...holders, onKey])),
        () => self,
        () => Effect.sync(() => void (holders = holders.filter((other) => other !== onKey)))
      )
  }
  return { keyboard, press: (key: UserInput) => Effect.suspend(() => holders.at(-1)?.(key) ?? Effect.void) }
}
