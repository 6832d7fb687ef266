import { useEffect, useRef, useState } from "preact/hooks"
import { get, type Problem } from "../Api.ts"

export interface Answered<A> {
  readonly value: A | undefined
  readonly problem: Problem | undefined
  /** Asks again. */
  readonly again: () => void
}

/** What the server says of a path now; the last answer stays until the next one has come. */
export const useAnswer = <A,>(path: string): Answered<A> => {
  const [found, setFound] = useState<Pick<Answered<A>, "value" | "problem">>({ value: undefined, problem: undefined })
  const round = useRef(0)
  const load = () => {
    const mine = ++round.current
    void get<A>(path).then((answer) => {
      if (mine !== round.current) return
      setFound(
        answer.ok
          ? { value: answer.value, problem: undefined }
          : (before) => ({ value: before.value, problem: answer.problem })
      )
    })
  }
  useEffect(() => {
    load()
    return () => {
      round.current++
    }
  }, [path])
  return { ...found, again: load }
}

export const Trouble = ({ problem }: { readonly problem: Problem | undefined }) =>
  problem === undefined ? null : (
    <p class="warning" role="alert">
      {problem.message}
    </p>
  )
