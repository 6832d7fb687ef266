import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

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

/** A directory with a few files in it, removed at the end. */
export const workspace: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-tour-")))
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
      fs.writeFileSync(path.join(directory, name), content)
    }
    return directory
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)
