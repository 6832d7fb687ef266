import { useRef, useState } from "preact/hooks"
import { makeVisible } from "../../text/visible.ts"
import type { Question } from "../session/Item.ts"
import { command } from "../session/Sessions.ts"

/** A question of the model, which waits for words of the person. */
export const QuestionView = ({ question, session }: { readonly question: Question; readonly session: string }) => {
  const place = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const reply = async (answer: string) => {
    const sent = await command(session, {
      _tag: "AnswerClientCall",
      requestId: question.requestId,
      result: { answer }
    })
    setProblem(sent?.message)
  }
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault()
        void reply(place.current?.value ?? "")
      }}
    >
      <label for={question.requestId}>{makeVisible(question.question)}</label>
      {question.open ? (
        <>
          <div class="actions">
            {question.options.map((option) => (
              <button type="button" onClick={() => void reply(option)}>
                {makeVisible(option)}
              </button>
            ))}
          </div>
          <div class="actions">
            <input id={question.requestId} ref={place} class="grow" maxLength={4000} />
            <button type="submit">Answer</button>
          </div>
        </>
      ) : null}
      {problem === undefined ? null : <p class="warning">{problem}</p>}
    </form>
  )
}
