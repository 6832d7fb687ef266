/** The name with `.`, `..` and doubled separators resolved by the letter; links are not followed. */
export const normalise = (path: string): string => {
  const segments: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment === "..") segments.pop()
    else segments.push(segment)
  }
  return `/${segments.join("/")}`
}

/** Whether `path` is `inner` or a directory above it. */
export const holds = (path: string, inner: string): boolean => {
  const [outside, inside] = [normalise(path), normalise(inner)]
  return inside === outside || inside.startsWith(outside === "/" ? "/" : `${outside}/`)
}
