import { assert, describe, it } from "@effect/vitest"
import * as IdleSessions from "../../src/mcp/gateway/IdleSessions.ts"
import type { SessionHandle } from "../../src/runtime/SessionHandle.ts"

const handle = (id: string) => ({ id }) as SessionHandle

describe("sessions of a gateway without a call", () => {
  it("serve the client that they are of, first those that its person has granted something (A8, X2)", () => {
    const idle = IdleSessions.make()
    for (const id of ["s1", "s2", "s3"]) idle.add({ by: "mine", handle: handle(id), project: undefined })
    idle.add({ by: "theirs", handle: handle("s4"), project: undefined })
    idle.granted("s2")
    const taken = () => idle.take("mine", undefined)?.id
    assert.deepStrictEqual([taken(), taken(), taken(), taken()], ["s2", "s1", "s3", undefined])
    assert.strictEqual(idle.take("theirs", undefined)?.id, "s4")
  })
})
