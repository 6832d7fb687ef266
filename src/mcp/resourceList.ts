import type { Client, ListResourcesResult } from "@modelcontextprotocol/client"

export type Resources = ListResourcesResult["resources"]

/** Characters of a list of resources that is kept; a longer one is asked for each time. */
const longest = 256 * 1024

/** Asks a server for all the resources that it lists. */
export const resourceList = (
  client: Client,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: number }
): Promise<Resources> =>
  client.listResources(undefined, { signal, timeout, cacheMode: "refresh" }).then(({ resources }) => resources)

/** The list as it is kept for as long as the server does not run. */
export const keptList = (resources: Resources): Resources | undefined =>
  JSON.stringify(resources).length > longest ? undefined : resources
