import * as Either from "effect/Either"
import type { ShellContext } from "./ShellContext.ts"

/** Whether a word is a path that is there in each of the directories; by the letter where that cannot be seen. */
export const isThere = (
  path: string,
  directories: ReadonlyArray<string>,
  { resolve }: Pick<ShellContext, "resolve">
): boolean =>
  resolve === undefined
    ? !/^(?:HEAD|[a-f0-9]{7,40}$)|[~^@:]|\.\./.test(path)
    : directories.every((from) => {
        const led = resolve(path.startsWith("/") ? path : `${from}/${path}`)
        return Either.isRight(led) && led.right.kind !== "missing"
      })
