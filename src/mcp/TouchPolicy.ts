import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as path from "node:path"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import { judgeUrl } from "../policy/network/UrlPolicy.ts"
import { forCall } from "../policy/path/HardLink.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { onDisk } from "../policy/shell/OnDisk.ts"
import { classify } from "../policy/shell/ShellPolicy.ts"
import { allow, strictest, type Verdict } from "../policy/Verdict.ts"
import type { Preview } from "../tool/Preview.ts"
import type { PathTouch, Touches } from "../tool/Touches.ts"

/** What Tollgate's own rules say of what a call of a server touches, at one moment: what a path leads to can change. */
export interface TouchPolicy {
  readonly judge: (touches: Touches) => Verdict
  /** What a person is shown of it: where its paths lead, to which an answer is bound. `words` say what the call does. */
  readonly preview: (touches: Touches, words: string) => Preview
}

const fine = allow("mcp/touches", "all that the call touches is open to tools")

/** Judges what a call of a foreign tool touches as it would be judged of Tollgate's own tools. */
export const make = ({
  boundary,
  network
}: {
  readonly boundary: PathContext
  readonly network: NetworkRules
}): TouchPolicy => {
  // Kept results are for our own tools, which know whose they are.
  const { readable: _, ...rest } = boundary
  const judged = (context: PathContext, { below, op, path: place }: PathTouch) =>
    judgeNow(place, below !== undefined && op === "read" ? "grep" : op, context)
  const ofPath = (context: PathContext, touch: PathTouch): Verdict =>
    Either.match(judged(context, touch), {
      onLeft: (refused) => refused,
      onRight: ({ verdict }) => verdict
    })
  const ofCommand = (context: PathContext, text: string, from: string | undefined): Verdict => {
    const cwd = from === undefined ? context.cwd : path.resolve(context.cwd, from)
    const judged = classify(text, onDisk({ ...context, cwd }))
    return from === undefined ? judged : strictest(ofPath(context, { path: from, op: "list" }), judged)
  }
  const judge: TouchPolicy["judge"] = ({ command, hosts = [], paths = [] }) => {
    const context = forCall(rest)
    return [
      ...paths.map((touch) => ofPath(context, touch)),
      ...(command === undefined ? [] : [ofCommand(context, command.text, command.cwd)]),
      ...hosts.map((host) =>
        Either.match(judgeUrl(host, network), { onLeft: (refused) => refused, onRight: () => fine })
      )
    ].reduce(strictest, fine)
  }
  const preview: TouchPolicy["preview"] = ({ paths = [] }, words) => {
    const context = forCall(rest)
    const found = paths.flatMap((touch) => Option.toArray(Either.getRight(judged(context, touch))))
    const leads = found
      .filter(({ path: place, requested }) => path.resolve(context.cwd, requested) !== place)
      .map(({ path: place, requested }) => `${requested} leads to ${place}. `)
    return {
      summary: `${leads.join("")}${words}`,
      targets: found.map(({ path: place }) => ({ path: place, baseHash: null }))
    }
  }
  return { judge, preview }
}
