// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { methods, RequestError } from "@agentclientprotocol/sdk"
import { assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { scripted } from "../../cli/command.ts"
import { type Behaviour, prompted } from "../Client.ts"
import { call, done, editors, ends } from "../editors.ts"

const edit = (old_text: string, new_text: string) => call("edit_file", { path: "notes.md", old_text, new_text })
const reading = call("read_file", { path: "notes.md" })
const both = { fs: { readTextFile: true, writeTextFile: true } }

describe("an editor that gives its files", () => {
  const { at, working } = editors()
  let file: string
  /** What it has open, saved or not. */
  let buffers: Map<string, string>
  beforeEach(() => {
    file = path.join(at.work, "notes.md")
    buffers = new Map()
  })
  const begin = (behaviour: Behaviour = {}) =>
    working({
      capabilities: both,
      read: (one) => buffers.get(one),
      write: (one, content) => {
        buffers.set(one, content)
        fs.writeFileSync(one, content)
      },
      ...behaviour
    })
  const said = (one: unknown) => JSON.stringify(one)

  it("has what is not saved read, and what was approved written through it (X3)", async () => {
    fs.writeFileSync(file, "saved\n")
    buffers.set(file, "not saved yet\n")
    scripted(at, [reading, edit("not saved", "changed"), done])
    const { editor, session } = await begin()
    await prompted(editor, session, "go")
    const [read, edited] = ends(editor)
    assert.include(said(read), "not saved yet")
    assert.strictEqual(edited?.status, "completed", said(edited))
    const [asked, ...others] = editor.permissions
    assert.lengthOf(others, 0)
    assert.deepInclude(asked?.toolCall.content as ReadonlyArray<unknown>, {
      type: "diff",
      path: file,
      oldText: "not saved yet\n",
      newText: "changed yet\n"
    })
    assert.strictEqual(buffers.get(file), "changed yet\n")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "changed yet\n")
    assert.lengthOf(
      editor.asked.filter((one) => one === `write ${file}`),
      1
    )
  })

  it("writes nothing but what was shown: a text that is typed on while it is asked about is asked about again (X3)", async () => {
    fs.writeFileSync(file, "one\n")
    buffers.set(file, "one\n")
    scripted(at, [edit("one", "two"), done])
    const { editor, session } = await begin({
      permission: () => {
        if (buffers.get(file) === "one\n") buffers.set(file, "one, typed on\n")
        return "once"
      }
    })
    await prompted(editor, session, "go")
    assert.lengthOf(editor.permissions, 2)
    assert.include(said(editor.permissions[1]?.toolCall.content), "two, typed on")
    assert.strictEqual(buffers.get(file), "two, typed on\n")
  })

  it("is asked for no file that policy refuses, and writes none that was rejected (X3)", async () => {
    const key = path.join(at.work, ".ssh", "id_rsa")
    fs.mkdirSync(path.dirname(key))
    fs.writeFileSync(key, "saved")
    fs.symlinkSync(key, path.join(at.work, "link"))
    fs.writeFileSync(file, "one\n")
    buffers.set(key, "typed").set(file, "one\n")
    const reads = [".ssh/id_rsa", "link", "../home/x"].map((name) => call("read_file", { path: name }))
    scripted(at, [...reads, edit("one", "two"), done])
    const { editor, session } = await begin({ permission: () => "reject" })
    await prompted(editor, session, "go")
    assert.deepStrictEqual(
      ends(editor).map(({ status }) => status),
      ["failed", "failed", "failed", "failed"]
    )
    assert.notInclude(editor.stdout(), "typed")
    assert.deepStrictEqual([...new Set(editor.asked)], [`read ${file}`])
    assert.strictEqual(buffers.get(file), "one\n")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "one\n")
  })

  it("creates files, and the disk has what it does not: other files, directories, bytes, and all of a session beside it (X3)", async () => {
    fs.writeFileSync(file, "one\n")
    const picture = path.join(at.work, "picture")
    fs.writeFileSync(picture, Buffer.from([1, 0, 2]))
    const fresh = path.join(at.work, "new", "fresh.md")
    scripted(at, [
      edit("one", "two"),
      call("write_file", { path: "new/fresh.md", content: "new\n" }),
      call("read_file", { path: "picture" }),
      call("list_dir", { path: "." }),
      done
    ])
    const { editor, session } = await begin()
    await prompted(editor, session, "go")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "two\n")
    assert.strictEqual(fs.readFileSync(fresh, "utf8"), "new\n")
    assert.deepStrictEqual([...buffers.keys()], [fresh])
    assert.notInclude(said(editor.asked), "picture")
    buffers.set(file, "typed\n")
    scripted(at, [edit("two", "three"), done])
    const other = await begin({ capabilities: {} })
    await prompted(other.editor, other.session, "go")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "three\n")
    assert.strictEqual(buffers.get(file), "typed\n")
    assert.lengthOf(other.editor.asked, 0)
  })

  it("is taken at its word where it fails, and the model reads that word (X3)", async () => {
    fs.writeFileSync(file, "one\n")
    scripted(at, [reading, call("write_file", { path: "b.md", content: "b" }), done])
    const { editor, session } = await begin({
      read: (one) => {
        if (one === file) throw new RequestError(-32603, "the buffer is locked")
        return undefined
      },
      write: () => {
        throw new RequestError(-32603, "the disk is full")
      }
    })
    await prompted(editor, session, "go")
    const [read, written] = ends(editor)
    assert.include(said(read), "The editor did not read")
    assert.include(said(read), "the buffer is locked")
    assert.strictEqual(written?.status, "failed")
    assert.include(said(written), "the disk is full. The file is as it was.")
    assert.isFalse(fs.existsSync(path.join(at.work, "b.md")))
  })

  it("fails a call where it answers with what is no text, and the model reads why (X3)", async () => {
    fs.writeFileSync(file, "one\n")
    for (const answer of [null, 5, [], "one", { content: 5 }]) {
      scripted(at, [reading, call("write_file", { path: "notes.md", content: "b" }), done])
      const { editor, session } = await begin({ readAs: { answer } })
      await prompted(editor, session, "go")
      assert.lengthOf(ends(editor), 2)
      for (const end of ends(editor)) {
        assert.strictEqual(end.status, "failed")
        assert.include(said(end), "its answer has no text", said(answer))
      }
      assert.strictEqual(fs.readFileSync(file, "utf8"), "one\n")
    }
  })

  it("ends with the turn, whether it answers or not (X3)", async () => {
    fs.writeFileSync(file, "one\n")
    scripted(at, [edit("one", "two"), done])
    const { editor, session } = await begin({ read: () => "one\n", write: () => new Promise<void>(() => {}) })
    const turn = prompted(editor, session, "go")
    await editor.until(() => editor.asked.some((one) => one.startsWith("write ")))
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await turn).stopReason, "cancelled")
    assert.include(editor.stdout(), "$/cancel_request")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "one\n")
  })
})
