import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "./Api.ts"

/** The endpoints by the paths that they answer; what is in a place of a path is theirs to judge. */
const endpoints: Array<{ readonly method: string; readonly path: RegExp }> = [
  { method: "GET", path: /^\/(?:|assets\/[^/]+|v1\/socket|docs|openapi\.json)$/ }
]
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => {
    endpoints.push({ method, path: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:[^/]+/g, "[^/]+")}$`) })
  }
})

/** The methods that a path takes; none where there is no such path. */
export const methodsAt = (path: string): ReadonlyArray<string> => [
  ...new Set(endpoints.filter((one) => one.path.test(path)).map(({ method }) => method))
]
