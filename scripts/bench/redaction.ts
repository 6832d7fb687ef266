import { make } from "../../src/redaction/Redactor.ts"

const size = 4 * 1024 * 1024
const filled = (line: string): string => line.repeat(Math.ceil(size / line.length))

/** Lines of a build, of a log and of `yes`, without a secret. */
const plain = filled(
  "y\n".repeat(40) +
    "the quick brown fox jumps over the lazy dog again and again\n" +
    "2026-11-22 11:33:45.123 INFO [worker-3] request GET /api/v1/items?page=3 done in 13 ms\n"
)

/** The same with a credential in every third line. */
const secret = filled(`one line\nanother line\nexport DEPLOY_TOKEN=${["ghp", "a1B2".repeat(9)].join("_")}\n`)

/** MB for each second of the processor. */
const rate = (text: string, read: (text: string) => unknown): number => {
  let best = 0
  for (let round = 0; round < 3; round++) {
    const from = process.cpuUsage()
    read(text)
    const { system, user } = process.cpuUsage(from)
    best = Math.max(best, text.length / (system + user))
  }
  return best
}

const redacted = (text: string): string => {
  const stream = make().stream()
  const shown: Array<string> = []
  for (let at = 0; at < text.length; at += 16 * 1024) shown.push(stream.push(text.slice(at, at + 16 * 1024)))
  return shown.join("") + stream.flush()
}

export const redactPlain = (): number => rate(plain, redacted)
export const redactSecrets = (): number => rate(secret, redacted)

/** One search without regard to case, as the least that any search for names costs. */
export const searched = (): number => rate(plain, (text) => /no such (?:password|token)/i.test(text))
