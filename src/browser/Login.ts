import { signal } from "@preact/signals"
import { get, login, post, type Problem } from "./Api.ts"
import { drafts } from "./session/Drafts.ts"

/** Who is logged in, by the name of the token, and what it may do. */
export interface Me {
  readonly name: string
  readonly scopes: ReadonlyArray<"view" | "operate" | "approve">
}

export const me = signal<Me | undefined>(undefined)

export const may = (scope: Me["scopes"][number]): boolean => me.value?.scopes.includes(scope) === true

/** Whether a name that an event says, or leaves out, is that of the person here. */
export const isMe = (by: string | undefined): boolean => by === undefined || by === "user" || by === me.value?.name

/** Why the last login did not work. */
export const loginProblem = signal<Problem | undefined>(undefined)

const greet = async (): Promise<void> => {
  const found = await get<Me>("/v1/me")
  if (found.ok) {
    me.value = found.value
    login.value = "in"
    loginProblem.value = undefined
  } else if (found.problem.status !== 401) loginProblem.value = found.problem
}

/** Exchanges a token for the cookie of this browser. */
export const logIn = async (token: string): Promise<void> => {
  const answer = await post("/v1/login", { token })
  if (answer.ok) return greet()
  loginProblem.value = answer.problem
  login.value = "out"
}

export const logOut = async (): Promise<void> => {
  await fetch("/v1/login", { method: "DELETE", credentials: "same-origin" })
  drafts.clear()
  me.value = undefined
  login.value = "out"
}

/** The token of the address, which no history keeps. */
const takeToken = (): string | undefined => {
  const [, token] = /^#token=([\w-]{1,200})$/.exec(location.hash) ?? []
  if (token === undefined) return undefined
  history.replaceState(null, "", location.pathname)
  location.hash = "#/"
  return token
}

/** Logs in by the token of the address, also where that is opened in a page that is there, or by the cookie of an earlier login. */
export const begin = async (): Promise<void> => {
  addEventListener("hashchange", () => {
    const token = takeToken()
    if (token !== undefined) void logIn(token)
  })
  const token = takeToken()
  return token === undefined ? greet() : logIn(token)
}
