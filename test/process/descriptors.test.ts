import { assert, describe, it } from "@effect/vitest"
import * as esbuild from "esbuild"
import * as ChildProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

describe("a process with few descriptors", () => {
  it("fails with a type where one is missing, and never otherwise (R5)", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "test-"))
    const outfile = path.join(folder, "descriptors.cjs")
    const entry = fileURLToPath(new URL("./fixtures/descriptors.ts", import.meta.url))
    esbuild.buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "cjs" })
    for (const descriptors of [24, 28, 33, 256]) {
      const script = `ulimit -n ${descriptors}; exec "$0" "$1"`
      const { status, stderr, stdout } = ChildProcess.spawnSync("/bin/sh", ["-c", script, process.execPath, outfile], {
        encoding: "utf8"
      })
      assert.deepStrictEqual([descriptors, stderr, status], [descriptors, "", 0])
      assert.match(stdout, descriptors === 256 ? /^ended( 0){12}\n$/ : /^ended( SpawnFailed| 0){12}\n$/)
    }
    fs.rmSync(folder, { recursive: true })
  })
})
