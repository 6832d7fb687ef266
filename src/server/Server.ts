import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
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
import type { Address } from "./Address.ts"
import { listening, node } from "./NodeListener.ts"
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

export interface ServerOptions {
  readonly listen: Address
  /** Host names, besides the addresses, that browsers may ask it by. */
  readonly names?: ReadonlyArray<string>
  /** The token of this start. */
  readonly token: Redacted.Redacted
}

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

/** How long a name in a path may be is for its schema to say, which tells the client; the router would know no such path. */
const routing = HttpRouter.setRouterConfig({ maxParamLength: Infinity })

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
    Layer.provide(node(listen)),
    Layer.provide(routing)
  )
