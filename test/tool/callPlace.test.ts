import { assert, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { type CallPlace, callKey, isSameCall } from "../../src/tool/CallPlace.ts"

type Asked = CallPlace & { readonly callId: string }

const name = FastCheck.constantFrom("", "a", "b", '","')
const asked: FastCheck.Arbitrary<Asked> = FastCheck.record(
  {
    task: name,
    worker: FastCheck.array(name, { maxLength: 3 }),
    iteration: FastCheck.integer({ min: 0, max: 2 }),
    callId: name
  },
  { requiredKeys: ["callId"] }
)

it.prop("two calls are one exactly where their keys are (R14)", [asked, asked], ([a, b]) => {
  assert.strictEqual(isSameCall(a, b), callKey(a, a.callId) === callKey(b, b.callId))
  assert.isTrue(isSameCall(a, { ...a }))
})
