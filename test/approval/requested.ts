import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"

/** A request as frontends and reviewers see it. */
export const requested = (args: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: "approval_1",
  callId: "c1",
  sessionId: "s",
  tool: "run_shell",
  workerPath: ["root"],
  risk: "high",
  digest: "d".repeat(64),
  arguments: args,
  message: "Runs a command",
  scopes: ["once"],
  requestedAt: 0,
  timeoutMillis: 1000,
  ...more
})
