import { isSame, type WorkerPath } from "./WorkerPath.ts"

/** Where a call is asked for: an id of a model comes again in other iterations, workers and tasks. */
export interface CallPlace {
  readonly task?: string | undefined
  readonly worker?: WorkerPath | undefined
  readonly iteration?: number | undefined
}

/** One text for one place. */
export const placeKey = ({ iteration = 0, task = "", worker = [] }: CallPlace): string =>
  JSON.stringify([task, worker, iteration])

/** One text for one call. */
export const callKey = ({ iteration = 0, task = "", worker = [] }: CallPlace, callId: string): string =>
  JSON.stringify([task, worker, iteration, callId])

/** Whether two calls are one: what `callKey` says, without making a text of either. */
export const isSameCall = (
  a: CallPlace & { readonly callId: string },
  b: CallPlace & { readonly callId: string }
): boolean =>
  a.callId === b.callId &&
  (a.iteration ?? 0) === (b.iteration ?? 0) &&
  (a.task ?? "") === (b.task ?? "") &&
  isSame(a.worker, b.worker)
