import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { markdown, schema } from "../../scripts/docs/events.ts"

describe("the reference of the events", () => {
  it("is current; run `npm run docs` where it is not (R12)", () => {
    assert.strictEqual(fs.readFileSync("docs/events.md", "utf8"), markdown(process.cwd()))
    assert.strictEqual(fs.readFileSync("docs/events.schema.json", "utf8"), schema())
  })
})
