import { assert, describe, it } from "@effect/vitest"
import * as Plan from "../../src/sandbox/Plan.ts"
import type { SandboxPolicy } from "../../src/sandbox/SandboxPolicy.ts"

const links: Readonly<Record<string, string>> = {
  "/ws/link": "/home/ada/secrets",
  "/ws/inner": "src",
  "/alias": "/ws",
  "/ws/loop": "loop"
}
const directories = [
  "/ws",
  "/ws/.git",
  "/ws/src",
  "/ws/src/deep",
  "/ws/build",
  "/ws/shut",
  "/shut",
  "/home",
  "/home/ada",
  "/home/ada/secrets",
  "/cache"
]
const files = ["/ws/.env", "/ws/src/deep/key", "/home/ada/secrets/token"]

const view: Plan.View = {
  kind: (path) =>
    path.startsWith("/ws/shut/") || path.startsWith("/shut/")
      ? "closed"
      : path in links
        ? "link"
        : directories.includes(path)
          ? "directory"
          : files.includes(path)
            ? "file"
            : "absent",
  target: (path) => links[path] ?? "",
  canFill: (directory) => directory !== "/ws/build"
}

const plan = (policy: Partial<SandboxPolicy>) =>
  Plan.make({ writable: ["/ws"], protected: [], network: false, cwd: "/ws", ...policy }, view)

describe("a sandbox plan", () => {
  it("takes relative paths from the policy's directory and follows links (S3)", () => {
    const { writable, cwd } = plan({ writable: [".", "../cache", "/alias/src", "/ws"], cwd: "/alias" })
    assert.deepStrictEqual(writable, ["/ws", "/cache", "/ws/src"])
    assert.strictEqual(cwd, "/ws")
  })

  it("drops roots that do not exist, never end or are the whole system (S3)", () => {
    assert.deepStrictEqual(plan({ writable: ["/", "/nowhere", "/ws/loop", "/ws/.env/x", "/ws"] }).writable, ["/ws"])
  })

  it("makes what is protected read-only only where it could be written (S3)", () => {
    const { readOnly, absent } = plan({ protected: [".git/", ".env", "/home/ada", "/home/new"] })
    assert.deepStrictEqual(readOnly, ["/ws/.git", "/ws/.env"])
    assert.deepStrictEqual(absent, [])
  })

  it("keeps a file as it is where a directory with something protected could be made of it (S3)", () => {
    const { absent, pinned, readOnly } = plan({ protected: [".env/hooks/", ".env/config"], hidden: [".env/key"] })
    assert.deepStrictEqual({ absent, pinned, readOnly }, { absent: [], pinned: [], readOnly: ["/ws/.env"] })
  })

  it("keeps a directory closed that may not be looked into, where it could be opened (S3)", () => {
    for (const name of ["protected", "hidden"]) {
      const { absent, hidden, pinned, readOnly } = plan({ [name]: ["shut/.env", "/shut/key"] })
      assert.deepStrictEqual([absent, hidden], [[], []])
      assert.deepStrictEqual(readOnly, ["/ws/shut"])
      assert.deepStrictEqual(pinned, name === "protected" ? ["/ws/shut"] : [])
    }
  })

  it("lets protection win over a writable directory within it (S3)", () => {
    const { writable, readOnly } = plan({ writable: ["/ws/build"], protected: ["/ws"] })
    assert.deepStrictEqual([writable, readOnly], [["/ws/build"], ["/ws"]])
  })

  it("puts something in the place of what is absent, at its first missing directory (S3)", () => {
    const { readOnly, absent } = plan({
      protected: [".tollgate/", ".npmrc", ".vscode/settings.json", "/ws/.vscode/tasks.json"]
    })
    assert.deepStrictEqual(absent, [
      { path: "/ws/.tollgate", kind: "directory" },
      { path: "/ws/.npmrc", kind: "file" },
      { path: "/ws/.vscode", kind: "directory" }
    ])
    assert.sameMembers([...readOnly], ["/ws/.tollgate", "/ws/.npmrc", "/ws/.vscode"])
  })

  it("keeps a directory as it is in which nothing can be put in the place of what is absent (S3)", () => {
    const { absent, pinned, readOnly } = plan({ protected: ["build/.git/", "src/.git/"] })
    assert.deepStrictEqual(absent, [{ path: "/ws/src/.git", kind: "directory" }])
    assert.deepStrictEqual(readOnly, ["/ws/build", "/ws/src/.git"])
    assert.deepStrictEqual(pinned, ["/ws/build", "/ws/src"])
  })

  it("pins the directories above what is protected, so that they cannot be renamed away with it (S3)", () => {
    const { pinned, readOnly } = plan({ protected: ["src/deep/key"] })
    assert.deepStrictEqual(pinned, ["/ws/src", "/ws/src/deep"])
    assert.deepStrictEqual(readOnly, ["/ws/src/deep/key"])
  })

  it("closes the directory of a protected link, which could be replaced, and protects its target (S3)", () => {
    assert.deepStrictEqual(plan({ protected: ["link"] }).readOnly, ["/ws"])
    const inner = plan({ protected: ["inner/deep/key"] })
    assert.deepStrictEqual(inner.readOnly, ["/ws", "/ws/src/deep/key"])
    assert.deepStrictEqual(plan({ protected: ["link"], writable: ["/ws", "/home/ada"] }).readOnly, [
      "/ws",
      "/home/ada/secrets"
    ])
  })

  it("is not led out of a directory by its name only (S3)", () => {
    assert.deepStrictEqual(plan({ writable: ["/ws/src"], protected: ["/ws/src-x", "/ws/srcs"] }).readOnly, [])
  })

  it("hides what exists, at its real place (S3)", () => {
    assert.deepStrictEqual(plan({ hidden: ["link/token", "/nowhere"] }).hidden, [
      { path: "/home/ada/secrets/token", kind: "file" }
    ])
  })

  it("hides nothing within what is hidden, where nothing could be mounted (S3)", () => {
    assert.deepStrictEqual(plan({ hidden: ["link/token", "link"] }).hidden, [
      { path: "/home/ada/secrets", kind: "directory" }
    ])
  })

  it("looks at each place once, however many paths lead through it (S3)", () => {
    const looks: Array<string> = []
    const watched: Plan.View = {
      ...view,
      kind: (path) => {
        looks.push(path)
        return view.kind(path)
      }
    }
    const policy = {
      writable: ["/ws", "/ws/src", "/alias/build"],
      protected: [".git/", ".env", "link", "src/deep/key", "/alias/.npmrc"],
      hidden: ["/home/ada/secrets"],
      network: false,
      cwd: "/ws"
    }
    assert.deepStrictEqual(Plan.make(policy, watched), Plan.make(policy, view))
    assert.deepStrictEqual(looks, [...new Set(looks)])
  })
})
