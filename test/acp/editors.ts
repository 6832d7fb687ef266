// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach } from "@effect/vitest"
import { type Place, place } from "../cli/command.ts"
import { type Behaviour, begun, connect, type Connected } from "./Client.ts"

/** A turn of a scripted model that calls a tool. */
export const call = (name: string, given: object) => ({ steps: [{ call: { name, arguments: given } }] })

/** The last turn of one, again and again. */
export const done = { repeat: true, steps: [{ say: "Done." }] }

/** The updates by which calls have ended, in order. */
export const ends = ({ of }: Connected, session?: string) =>
  of("tool_call_update", session).filter(({ status }) => status === "completed" || status === "failed")

/**
 * Editors of each test of a suite, in a place of its own. After the test all of them are closed, and none has been sent anything that the
 * protocol does not have.
 */
export const editors = () => {
  let now: Place
  let open: Array<Connected> = []
  beforeEach(() => {
    now = place()
  })
  afterEach(async () => {
    await Promise.all(open.map(({ close }) => close()))
    const problems = open.flatMap((editor) => editor.problems)
    open = []
    now.remove()
    assert.deepStrictEqual(problems, [])
  })
  const at: Place = {
    get home() {
      return now.home
    },
    get work() {
      return now.work
    },
    get env() {
      return now.env
    },
    remove: () => now.remove()
  }
  const connected = async (behaviour?: Behaviour): Promise<Connected> => {
    const editor = await connect(at, behaviour)
    open.push(editor)
    return editor
  }
  /** One with a session. */
  const working = async (behaviour?: Behaviour) => {
    const editor = await connected(behaviour)
    return { editor, session: await begun(editor, at.work) }
  }
  return { at, connected, working }
}
