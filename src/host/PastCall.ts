import type { WorkerPath } from "../tool/WorkerPath.ts"

/**
 * What became of a call: it `ran` without a question that the record has, was `approved` and ran, was `refused` by a person or a
 * policy, `failed` before it ran, or has no end in the record.
 */
export type Was = "ran" | "approved" | "refused" | "failed" | "unknown"

/** A call that was asked for before. */
export interface PastCall {
  /** Whose call it was: `tollgate`, or the name of another agent. */
  readonly agent: string
  readonly session: string
  readonly worker?: string | WorkerPath
  readonly id: string
  /** Epoch milliseconds; unset where the record has no time. */
  readonly time?: number
  /** Where it ran; unset where the record does not say. */
  readonly directory?: string
  readonly tool: string
  /** As the record has it; JSON text or an object. */
  readonly input: unknown
  readonly was: Was
}

/** Calls of one record that wait for their end there; the oldest is given up where there are too many. */
export class Open {
  private readonly calls = new Map<string, PastCall>()

  /** The calls that are given up. */
  add(key: string, call: PastCall): ReadonlyArray<PastCall> {
    this.calls.set(key, call)
    if (this.calls.size <= maxOpen) return []
    const [first] = this.calls.keys()
    const oldest = first === undefined ? undefined : this.take(first)
    return oldest === undefined ? [] : [oldest]
  }

  change(key: string, was: Was): void {
    const call = this.calls.get(key)
    if (call !== undefined) this.calls.set(key, { ...call, was })
  }

  take(key: string): PastCall | undefined {
    const call = this.calls.get(key)
    this.calls.delete(key)
    return call
  }

  /** Those that are left. */
  end(): ReadonlyArray<PastCall> {
    const left = [...this.calls.values()]
    this.calls.clear()
    return left
  }
}

const maxOpen = 1000
