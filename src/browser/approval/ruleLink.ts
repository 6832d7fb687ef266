import type { WaitingApproval } from "../../server/ApiSchema.ts"
import { to } from "../Route.ts"

/** The page where a rule like the one that `always` would save is changed, tried and saved. */
export const ruleLink = ({ project, request }: WaitingApproval): string => {
  const { arguments: given, tool, touches } = request
  const { command } = given as { readonly command?: unknown }
  const [path] = touches?.paths ?? []
  const [host] = touches?.hosts ?? []
  const look =
    typeof command === "string"
      ? { argv: command }
      : path !== undefined
        ? { path: path.path }
        : host !== undefined
          ? { host }
          : {}
  return `${to("rules")}?${new URLSearchParams({ decision: "allow", tool, project, ...look }).toString()}`
}
