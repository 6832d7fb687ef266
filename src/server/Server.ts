import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as http from "node:http"
import { systemReason } from "../system/errno.ts"
import { Api } from "./Api.ts"
import * as ApprovalRequests from "./ApprovalRequests.ts"
import * as Authorization from "./Authorization.ts"
import * as Document from "./Document.ts"
import { Feed } from "./Feed.ts"
import { guard, protect } from "./Guard.ts"
import * as Rules from "./Rules.ts"
import * as RuleTrials from "./RuleTrials.ts"
import * as Grants from "./Grants.ts"
import * as AuditTrail from "./AuditTrail.ts"
import * as ManualTools from "./ManualTools.ts"
import * as Profiles from "./Profiles.ts"
import * as Costs from "./Costs.ts"
import * as Memories from "./Memories.ts"
import * as SearchHits from "./SearchHits.ts"
import * as Transfer from "./Transfer.ts"
import * as Health from "./Health.ts"
import { type Address, Listening, urlOf } from "./Listening.ts"
import { OpenStreams } from "./OpenStreams.ts"
import * as Login from "./Login.ts"
import { Logins } from "./Logins.ts"
import * as Chat from "./openai/Chat.ts"
import { Issued } from "./openai/Issued.ts"
import * as ModelList from "./openai/ModelList.ts"
import { shaped } from "./openai/OpenAiError.ts"
import * as Responses from "./openai/Responses.ts"
import * as Page from "./Page.ts"
import * as Sessions from "./Sessions.ts"
import * as Socket from "./Socket.ts"
import * as Streams from "./Streams.ts"
import { Rates } from "./Rates.ts"
import { Tokens } from "./Tokens.ts"
import { tokenStore } from "./tokenFiles.ts"

/** The address cannot be listened on. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.address} cannot be listened on: ${this.reason}. Choose another port; 0 takes any that is free.`
  }
}

export interface ServerOptions {
  readonly listen: Address
  /** Host names, besides the addresses, that browsers may ask it by. */
  readonly names?: ReadonlyArray<string>
  /** The token of this start. */
  readonly token: Redacted.Redacted
}

/** Node's server, with all of its connections closed at the end. */
const node = ({ host, port }: Address) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const server = http.createServer({ requestTimeout: 60_000, headersTimeout: 15_000 })
      server.maxConnections = 2048
      const ended = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      return Layer.provideMerge(
        ended,
        NodeHttpServer.layer(() => server, { host, port })
      )
    })
  ).pipe(
    Layer.catchAll(({ cause }) =>
      Layer.fail(
        new NotListening({
          address: `${host}:${port}`,
          reason: systemReason(cause)
        })
      )
    )
  )

const listening = (names: ReadonlyArray<string>, wanted: Address) =>
  Layer.effect(
    Listening,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      const port = address._tag === "TcpAddress" ? address.port : wanted.port
      const at = { host: wanted.host, port }
      return { ...at, names: names.map((name) => name.toLowerCase()), url: urlOf(at) }
    })
  )

const groups = HttpApiBuilder.api(Api).pipe(
  Layer.provide([Health.live, Login.live, Sessions.live, Streams.live, ApprovalRequests.live]),
  Layer.provide([
    Rules.live,
    RuleTrials.live,
    Grants.live,
    AuditTrail.live,
    ManualTools.live,
    Profiles.live,
    Costs.live,
    Memories.live,
    SearchHits.live,
    Transfer.live
  ]),
  Layer.provide([ModelList.live, Chat.live, Responses.live]),
  Layer.provide(Issued.layer),
  Layer.provide(Authorization.layer)
)

/** Serves a host over HTTP until the scope ends. */
export const layer = ({ listen, names = [], token }: ServerOptions) =>
  HttpApiBuilder.serve((app) => protect(shaped(app))).pipe(
    Layer.provide(HttpApiBuilder.middleware(Api, guard, { withContext: true })),
    Layer.provide([Document.live, Page.live, Socket.live]),
    Layer.provide(groups),
    Layer.provide([Logins.layer, Feed.layer, OpenStreams.layer]),
    Layer.provideMerge(Tokens.layer(token)),
    Layer.provideMerge(tokenStore),
    Layer.provide(Rates.layer),
    Layer.provideMerge(listening(names, listen)),
    Layer.provide(node(listen))
  )
