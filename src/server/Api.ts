import * as OpenApi from "@effect/platform/OpenApi"
import { version } from "../version.ts"
import * as ApprovalRequests from "./ApprovalRequests.ts"
import { base } from "./Base.ts"
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
import * as Login from "./Login.ts"
import * as Chat from "./openai/Chat.ts"
import * as ModelList from "./openai/ModelList.ts"
import * as Responses from "./openai/Responses.ts"
import * as Sessions from "./Sessions.ts"
import * as Streams from "./Streams.ts"

/** All that the server answers, but for pages. */
export const Api = base
  .add(Health.group)
  .add(Login.group)
  .add(Sessions.group)
  .add(Streams.group)
  .add(ApprovalRequests.group)
  .add(Rules.group)
  .add(RuleTrials.group)
  .add(Grants.group)
  .add(AuditTrail.group)
  .add(ManualTools.group)
  .add(Profiles.group)
  .add(Costs.group)
  .add(Memories.group)
  .add(SearchHits.group)
  .add(Transfer.group)
  .add(ModelList.group)
  .add(Chat.group)
  .add(Responses.group)
  .annotate(OpenApi.Title, "Tollgate")
  .annotate(OpenApi.Version, version)
