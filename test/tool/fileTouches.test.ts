import { assert, describe, it } from "@effect/vitest"
import { configured, touchesOf } from "../../src/tool/Touches.ts"

describe("the paths that a user says a foreign tool touches", () => {
  const paths = (base: object, at: string) =>
    (touchesOf(configured({ paths: [{ parameter: "at", op: "read", ...base }] }), { at })?.paths ?? []).map(
      ({ path }) => path
    )

  it("are the files of a URI, in every way that a server may read it (X1, S3)", () => {
    assert.deepStrictEqual(paths({}, "file:///etc/passwd"), ["/etc/passwd"])
    assert.deepStrictEqual(paths({}, "FILE://localhost/etc/%70asswd"), ["/etc/%70asswd", "/etc/passwd"])
    assert.include(paths({}, "\n fi\tle:/etc/passwd"), "/etc/passwd")
    for (const name of ["a b%20c.txt", "files:x", "note.file:", "C:x"]) assert.deepStrictEqual(paths({}, name), [name])
  })

  it("begin where the user says that the server begins them (X1)", () => {
    const base = { base: "/srv/data" }
    assert.deepStrictEqual(paths(base, "x/../y"), ["/srv/data/y"])
    assert.deepStrictEqual(paths(base, "../../etc/passwd"), ["/etc/passwd"])
    assert.deepStrictEqual(paths(base, "/abs"), ["/abs"])
    assert.deepStrictEqual(paths(base, "file:///abs"), ["/abs"])
  })
})
