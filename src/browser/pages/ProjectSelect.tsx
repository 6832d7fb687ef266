import { visibleLine } from "../../text/visible.ts"
import { byProject, nameOf } from "../session/Sessions.ts"

/** Chooses a project that has sessions; without one, the directory of the server. */
export const ProjectSelect = ({
  label,
  none = "the server's directory",
  onChange,
  value
}: {
  readonly label: string
  readonly none?: string
  readonly value: string
  readonly onChange: (project: string) => void
}) => (
  <label class="mode">
    {label}{" "}
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{none}</option>
      {byProject.value.map(([project]) => (
        <option value={project}>
          {nameOf(project)} — {visibleLine(project)}
        </option>
      ))}
    </select>
  </label>
)

/** A path with a project in its query, if one is named. */
export const inProject = (path: string, project: string): string =>
  project === "" ? path : `${path}${path.includes("?") ? "&" : "?"}project=${encodeURIComponent(project)}`
