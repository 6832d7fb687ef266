import * as path from "node:path"
import { isWithin } from "../../policy/path/PathText.ts"
import type { GitContents } from "../../policy/shell/GitContents.ts"
import type { Tracked } from "./Index.ts"

/** The first file that must not be shown of those whose contents git shows in a directory of the working tree below `top`. */
export const shownSecret = (
  { below, changed }: Pick<Extract<GitContents, { of: "tracked" }>, "below" | "changed">,
  {
    directory,
    isSecret,
    top
  }: { readonly directory: string; readonly isSecret: (path: string) => boolean; readonly top: string },
  { isUntouched, names }: Tracked
): string | undefined => {
  const places = below.map((name) => path.resolve(directory, name))
  return names.find((name, position) => {
    const file = `${top}/${name}`
    if (places.length > 0 && !places.some((place) => isWithin(file, place))) return false
    return isSecret(file) && !(changed && isUntouched(position, file))
  })
}
