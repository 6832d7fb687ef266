import { useRef, useState } from "preact/hooks"
import { visibleLine } from "../../text/visible.ts"
import { may } from "../Login.ts"
import { go, to } from "../Route.ts"
import { byProject, create, nameOf, submit } from "../session/Sessions.ts"
import { Composer } from "./Composer.tsx"

/** Where a session begins. */
export const StartPage = () => {
  const projects = byProject.value.map(([project]) => project)
  const [project, setProject] = useState<string | undefined>(undefined)
  /** What the first prompt has begun, which those behind it go to. */
  const begun = useRef<string>(undefined)
  const begin = async (text: string, task: string) => {
    const before = begun.current
    const made = before ?? (await create(project))
    if (typeof made !== "string") return made.message
    begun.current = made
    const refused = await submit(made, text, task)
    if (before === undefined) go(to("session", made))
    return refused?.message
  }
  return (
    <section class="page start" aria-label="New session">
      <h1>What should be done?</h1>
      {may("operate") ? (
        <>
          <Composer draft="" busy={false} placeholder="Prompt a new session" onSubmit={begin} />
          {projects.length === 0 ? null : (
            <label class="mode">
              in{" "}
              <select
                onChange={({ currentTarget }) =>
                  setProject(currentTarget.value === "" ? undefined : currentTarget.value)
                }
              >
                <option value="">the server's directory</option>
                {projects.map((one) => (
                  <option value={one}>
                    {nameOf(one)} — {visibleLine(one)}
                  </option>
                ))}
              </select>
            </label>
          )}
        </>
      ) : (
        <p class="quiet">Your token can view sessions but not start them.</p>
      )}
    </section>
  )
}
