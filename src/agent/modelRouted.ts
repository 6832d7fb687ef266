import type { RoutingDecision } from "../model/Routing.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { ModelRouted } from "./AgentEvent.ts"

/** What is told of a decision; nothing where there was nothing to decide. */
export const modelRouted = (decision: RoutingDecision | undefined): ReadonlyArray<ModelRouted> => {
  if (decision === undefined) return []
  const { reason, requested, selected, weight } = decision
  return [new ModelRouted({ requested, selected, reason, weight }, trusted)]
}
