import { createContext } from "preact"

/** The directory of the project that a part of the page is about; empty where none is known. */
export const Project = createContext("")

/** A path as a person of the project says it: what lies below its directory by what follows that, everything else whole. */
export const below = (project: string, path: string): string => {
  const directory = project.endsWith("/") ? project : `${project}/`
  return project !== "" && path !== directory && path.startsWith(directory) ? path.slice(directory.length) : path
}
