import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { removeTree } from "../../system/removeTree.ts"

const files: Readonly<Record<string, string>> = {
  "README.md": "# Garden\n\nThree beds. What grows in them is in ledger/, what to do is in todo.md.\n",
  "todo.md": "- [ ] add up the harvest\n- [ ] check the gate\n",
  "ledger/2025.csv": "bed,kilos\nbeans,14\ntomatoes,31\nsquash,9\n",
  "check.sh": [
    "for bed in beans tomatoes squash; do",
    '  echo "checking $bed …"',
    "  sleep 0.25",
    "done",
    'echo "the gate squeaks" >&2',
    'echo "3 beds checked, all watered"',
    ""
  ].join("\n")
}

const prefix = "tollgate-tour-"

/** Age in milliseconds beyond which no tour goes on in a directory. */
const day = 24 * 60 * 60 * 1000

/** Removes what tours that were killed have left. */
const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
  Effect.forEach(
    fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith(prefix)),
    (name) =>
      Effect.try(() => {
        const directory = path.join(os.tmpdir(), name)
        const found = fs.lstatSync(directory)
        if (!found.isDirectory() || found.uid !== os.userInfo().uid || found.mtimeMs > now - day) return
        fs.rmSync(directory, { recursive: true, force: true })
      }).pipe(Effect.ignore),
    { discard: true }
  )
)

/** A directory with a few files in it, removed at the end. */
export const workspace: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.map(sweep, () => {
    const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)))
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
      fs.writeFileSync(path.join(directory, name), content)
    }
    return directory
  }),
  removeTree
)
