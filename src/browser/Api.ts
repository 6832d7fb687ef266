import { signal } from "@preact/signals"
import { advisedOnPage } from "../ui/advice.ts"

/** Why a request came to nothing, in words of the server or, where it does not answer, of this page. */
export interface Problem {
  /** 0 where no answer came. */
  readonly status: number
  readonly message: string
}

export type Answer<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly problem: Problem }

/** Whether this browser is logged in, as far as is known. */
export const login = signal<"unknown" | "in" | "out">("unknown")

/** How far the clock of the server is ahead of this one, in milliseconds. */
export const clockAhead = signal(0)

const unreachable: Problem = {
  status: 0,
  message: "The server does not answer. Check that it still runs, then try again."
}

/** A difference of clocks that is no more than the second to which a response is dated. */
const sameClock = 2000

const setClock = (dated: string | null): void => {
  const ahead = dated === null ? Number.NaN : Date.parse(dated) - Date.now()
  clockAhead.value = Math.abs(ahead) > sameClock ? ahead : 0
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const said = (body: unknown, status: number): string => {
  const { error, message } = (body ?? {}) as { readonly error?: unknown; readonly message?: unknown }
  return typeof message === "string"
    ? advisedOnPage(message, typeof error === "string" ? error : undefined)
    : `The server answered with status ${status}.`
}

/** Asks the server; the type is what its Schemas promise for the path. */
export const ask = async <A>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown
): Promise<Answer<A>> => {
  try {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
    const text = await response.text()
    setClock(response.headers.get("date"))
    if (response.status === 401) login.value = "out"
    const value = parsed(text)
    return response.ok
      ? { ok: true, value: value as A }
      : { ok: false, problem: { status: response.status, message: said(value, response.status) } }
  } catch {
    return { ok: false, problem: unreachable }
  }
}

export const get = <A>(path: string): Promise<Answer<A>> => ask<A>("GET", path)
export const post = <A>(path: string, body: unknown): Promise<Answer<A>> => ask<A>("POST", path, body)

/** The path of a session, or of something of it. */
export const sessionPath = (id: string, rest = ""): string => `/v1/sessions/${encodeURIComponent(id)}${rest}`

/** A name that nothing else has; also where the page comes without TLS and `crypto.randomUUID` is missing. */
export const newId = (prefix: string): string =>
  `${prefix}_${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
