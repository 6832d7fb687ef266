// `node scripts/run.mjs scripts/database/fixtures.ts`: writes the fixtures of schema versions that have none yet; one that was released stays.
import * as fs from "node:fs"
import * as path from "node:path"
import { nameOf, sqlOf, versions } from "../../test/support/earlierDatabase.ts"

const folder = path.resolve("test/fixtures/schemas")
fs.mkdirSync(folder, { recursive: true })
for (const version of versions) {
  const file = path.join(folder, nameOf(version))
  if (!fs.existsSync(file)) fs.writeFileSync(file, sqlOf(version))
}
