import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { GuardedFetch } from "../../../src/policy/network/GuardedFetch.ts"
import { NetworkRules } from "../../../src/policy/network/NetworkRules.ts"
import { judgeUrl } from "../../../src/policy/network/UrlPolicy.ts"
import { corpus, type Row } from "../../support/corpora.ts"
import { scriptedNetwork, type ScriptedReply } from "../../corpus/ScriptedNetwork.ts"

interface Input {
  readonly url: string
  readonly dns?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
  readonly redirects?: Readonly<Record<string, ScriptedReply>>
  readonly policy?: {
    readonly allow?: ReadonlyArray<string>
    readonly deny?: ReadonlyArray<string>
    readonly allowPrivate?: ReadonlyArray<string>
  }
}

type SsrfRow = Row<Input> & { readonly maxLookups?: number; readonly connectsTo?: string }

const rows: ReadonlyArray<SsrfRow> = corpus<Input>("a_ssrf")

const rulesOf = ({ policy = {} }: Input) =>
  Schema.decodeSync(NetworkRules)({
    ...(policy.allow && { allowHosts: policy.allow }),
    denyHosts: policy.deny ?? [],
    optIn: policy.allowPrivate ?? []
  })

describe("URLs, addresses and redirects", () => {
  for (const row of rows.filter((_) => _.stage !== "response")) {
    it.effect(`${row.id} ${row.expected}: ${row.why} (S4)`, () =>
      Effect.gen(function* () {
        const rules = rulesOf(row.input)
        const network = scriptedNetwork(row.input.dns, row.input.redirects)
        const guard = Layer.provide(GuardedFetch.layerGuard(rules), network.layer)
        const result = yield* Effect.either(
          Effect.provide(
            Effect.flatMap(GuardedFetch, (_) => _.fetch({ url: row.input.url })),
            guard
          )
        )
        const verdict = Either.isRight(result) ? "allow" : "deny"
        assert.include(row.accept ?? [row.expected], verdict, `${result}`)
        if (row.stage === "parse" || row.stage === "url") {
          assert.isTrue(
            Either.isLeft(judgeUrl(row.input.url, rules)) === (verdict === "deny"),
            "judged by the URL alone"
          )
        }
        if (verdict === "deny" && row.stage !== "redirect") assert.deepStrictEqual(network.requests, [])
        if (row.maxLookups !== undefined) assert.isAtMost(network.lookups.length, row.maxLookups)
        if (row.connectsTo !== undefined)
          assert.deepStrictEqual(
            network.requests.map((_) => _.address),
            [row.connectsTo]
          )
      })
    )
  }
})
