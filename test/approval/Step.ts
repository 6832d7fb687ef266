/** A step of a row; the corpus says which fields belong to which. */
export interface Step {
  readonly step: string
  readonly id?: string
  readonly name?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly session?: string
  readonly worker?: string
  readonly from?: string
  readonly raw?: string
  readonly chunks?: ReadonlyArray<string>
  readonly calls?: ReadonlyArray<Step>
  readonly text?: string
  readonly role?: string
  readonly messages?: unknown
  readonly approval?: string
  readonly decision?: "approve" | "deny"
  readonly scope?: "once" | "session" | "always"
  readonly reason?: string
  readonly by?: string
  readonly args_hash?: string
  readonly hash?: string
  readonly digest?: string
  readonly edited_args?: Readonly<Record<string, unknown>>
  readonly ms?: number
  readonly seconds?: number
  readonly minutes?: number
  readonly hours?: number
  readonly days?: number
  readonly steps?: ReadonlyArray<Step>
  readonly n?: number
  readonly server?: string
  readonly tool?: string
  readonly tools?: ReadonlyArray<string>
  readonly key?: string
  readonly command?: string
  readonly pattern?: string
  readonly glob?: string
  readonly host?: string
  readonly path?: string
  readonly target?: string
  readonly policy?: string
  readonly do?: string
  readonly to?: string
  readonly call?: string
  readonly at?: string
  readonly tool_call_id?: string
  readonly content?: unknown
}

export interface Given {
  readonly clientSupportsApproval?: boolean
  /** False for a run that nobody watches. */
  readonly interactive?: boolean
  readonly policy?: string
  readonly always?: boolean
  readonly timeoutMs?: number
  readonly maxPending?: number
}

export interface Input {
  readonly steps: ReadonlyArray<Step>
  readonly given?: Given
}

export interface Expected {
  readonly executed?: ReadonlyArray<string>
  readonly prompts?: number
  readonly errors?: Readonly<Record<string, string>>
  readonly auditContains?: ReadonlyArray<string>
  readonly invariants?: ReadonlyArray<string>
}

const words: Readonly<Record<string, string>> = {
  assistant_text: "model_text",
  model_says: "model_text",
  tool_output: "tool_result",
  posted_message: "client_message",
  posted_history: "client_history",
  type_ahead: "keys_typed_before_prompt",
  keys: "keys_typed_before_prompt",
  wait: "advance",
  advance_clock: "advance",
  advance_time: "advance",
  clock_jump: "wall_clock_jump",
  clock_set_back: "clock_back",
  sleep_resume: "suspend_resume",
  esc: "interrupt",
  abort: "interrupt",
  cancel: "interrupt",
  cancel_task: "interrupt",
  close_session: "end_session",
  session_end: "end_session",
  create_session: "new_session",
  start_session: "new_session",
  switch_session: "new_session",
  compact_session: "compact",
  clear_session: "clear",
  set_policy: "set_approval_policy",
  policy_change: "set_approval_policy",
  revoke_grant: "revoke",
  revoke_approval: "revoke",
  grant: "approve_session",
  grant_session: "approve_session",
  session_grant: "approve_session",
  grant_prefix: "grant_pattern",
  grant_argv: "grant_pattern",
  grant_path: "grant_glob",
  grant_domain: "grant_host",
  deny_rule: "deny_pattern",
  hook: "hook_rewrites_args",
  pre_hook: "hook_rewrites_args",
  hook_rewrite: "hook_rewrites_args",
  tool_changed: "tool_redefined",
  definition_changed: "tool_redefined",
  worker_end: "worker_ends",
  worker_done: "worker_ends",
  delegate_end: "worker_ends",
  register_tool: "register_tools",
  plugin_tools: "register_tools",
  mcp_register: "mcp_tools",
  symlink_swap: "fs",
  file_change: "fs",
  verify_audit: "verify",
  approve_once: "decision",
  approve_always: "decision",
  approve: "decision",
  deny: "decision"
}

/** The one word for what several could mean, whatever its case and separators. */
export const wordOf = ({ step }: Step): string => {
  const plain = step
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
  return words[plain] ?? plain
}

/** Milliseconds of a step, however they are said. */
export const millisOf = (step: Step): number => {
  const { days = 0, hours = 0, minutes = 0, ms = 0, seconds = 0 } = step
  return ms + 1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days)))
}

/** By what names the corpus may call the ways in which a call or a decision ends otherwise than well. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  ParametersInvalid: ["ArgsInvalid"],
  ArgumentsMalformed: ["ArgsInvalid"],
  ApprovalExpired: ["ApprovalTimeout", "ApprovalExpired"],
  ManualOnlyTool: ["ManualOnlyTool", "ToolNotFound"],
  "ApprovalNotPending: unknown": ["ApprovalUnknown"],
  "ApprovalNotPending: granted": ["ApprovalAlreadyResolved"],
  "ApprovalNotPending: denied": ["ApprovalAlreadyResolved"],
  "ApprovalNotPending: expired": ["ApprovalExpired"],
  "ApprovalNotPending: withdrawn": ["ApprovalSuperseded", "ApprovalWithdrawn", "ApprovalCancelled"],
  "ApprovalMismatch: digest": ["ApprovalArgsMismatch"],
  "ApprovalMismatch: scope": ["ApprovalScopeInvalid"],
  "ApprovalMismatch: session": ["ApprovalSessionMismatch"],
  Interrupted: ["Interrupted", "Cancelled"],
  ToolsetInvalid: ["ToolsetInvalid", "ReservedToolName"]
}

export const namesOf = (tag: string): ReadonlyArray<string> => names[tag] ?? [tag]
