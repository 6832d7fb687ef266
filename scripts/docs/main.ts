// `npm run docs` writes the generated pages.
import * as fs from "node:fs"
import * as path from "node:path"
import { markdown, schema } from "./events.ts"

const root = process.cwd()
fs.writeFileSync(path.join(root, "docs/events.md"), markdown(root))
fs.writeFileSync(path.join(root, "docs/events.schema.json"), schema())
