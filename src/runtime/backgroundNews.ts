/** Commands that are told of at once; more of them are counted. */
const mostNews = 8

const counted = "earlier ones have ended as well."

/** What a model is told of the end of a background command; its output can be read as long as the runtime that ran it lives. */
export const told = ({ id, reason }: { readonly id: string; readonly reason: string }, isReadable: boolean): string =>
  `The background command ${id} has ended: ${reason}. ${isReadable ? "read_output gives its output." : "Its output is no longer kept."}`

/** The news of one message, the latest last. */
export const together = (all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const more = all.length - mostNews
  return more > 0 ? [...all.slice(-mostNews), `${more} ${counted}`] : all
}

/** Whether a message that was recorded after the end of a command tells of it, by its name or as one of those that are counted. */
export const tells = (text: string, id: string): boolean => text.includes(id) || text.endsWith(counted)
