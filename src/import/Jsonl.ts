import { ClaudeCode } from "./ClaudeCode.ts"
import { Codex } from "./Codex.ts"
import { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { type Data, parseData } from "./JsonPiece.ts"
import { Lines } from "./Lines.ts"
import { openAiMessage } from "./openAiMessage.ts"
import type { Reader } from "./Reader.ts"
import type { Transcript } from "./Transcript.ts"

const messages = (draft: Draft): Transcript => ({
  format: "messages",
  line: (data, where) => openAiMessage(data, where, draft).forEach((message) => draft.message(message)),
  end: () => {}
})

const kindOf = (line: Data, draft: Draft): Transcript => {
  if ("role" in line) return messages(draft)
  if (Codex.knows(line)) return new Codex(draft)
  if (ClaudeCode.knows(line)) return new ClaudeCode(draft)
  return refuse(
    "seq" in line && "event" in line
      ? "it is a recording of events, which can be replayed; a session is imported from its export"
      : "line 1 is of no transcript that is known: messages of OpenAI, Claude Code or Codex"
  )
}

/** Reads a transcript with one JSON object in each line. */
export const jsonl = (): Reader => {
  const lines = new Lines()
  const draft = new Draft()
  let transcript: Transcript | undefined
  let number = 0
  const take = (line: string): void => {
    number += 1
    if (line.trim() === "") return
    const where = `line ${number}`
    const data = parseData(line, where)
    transcript ??= kindOf(data, draft)
    transcript.line(data, where)
  }
  return {
    push: (text) => lines.push(text).forEach(take),
    end: () => {
      lines.end().forEach(take)
      transcript?.end()
      if (transcript === undefined || draft.count === 0) return refuse("it has no messages")
      return draft.finish(transcript.format)
    }
  }
}
