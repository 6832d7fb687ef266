import type { Agent } from "./Agent.ts"
import { claude } from "./agent/claude.ts"
import { codex } from "./agent/codex.ts"
import { copilot } from "./agent/copilot.ts"
import { cursor } from "./agent/cursor.ts"
import { gemini } from "./agent/gemini.ts"
import { opencode } from "./agent/opencode.ts"
import { qwen } from "./agent/qwen.ts"

/** Every agent whose calls are judged. */
export const agents: ReadonlyArray<Agent> = [claude, codex, gemini, qwen, copilot, opencode, cursor]

export const agentNamed = (name: string): Agent | undefined => agents.find((one) => one.name === name)
