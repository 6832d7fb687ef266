import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { environment } from "../process/Environment.ts"
import { head } from "../process/Output.ts"
import { Processes } from "../process/Processes.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxSettings } from "./SandboxSettings.ts"
import { SandboxUnavailable } from "./SandboxUnavailable.ts"
import { duration } from "../text/duration.ts"

interface Named {
  readonly target: string
  readonly layer: Layer.Layer<Sandbox, never, Processes>
  /** How long an empty command may take in it. */
  readonly patience: Duration.Duration
  readonly mend: string
  /** Where it has to be another platform. */
  readonly platform?: NodeJS.Platform
}

const missing = (target: string, key: string) =>
  Effect.fail(
    new SandboxUnavailable({
      target,
      reason: `sandbox.${key} is not set`,
      mend: `Set it to the name of ${key === "image" ? "an image" : "a host"}`,
      key: `sandbox.${key}`
    })
  )

/** Says no where an empty command does not run in it. */
const tried = ({ layer, mend, patience, platform, target }: Named, cwd: string) => {
  const unavailable = (reason: string) => new SandboxUnavailable({ target, reason, mend })
  const attempt = Effect.gen(function* () {
    if (platform !== undefined && platform !== process.platform) return yield* unavailable(`it is for ${platform}`)
    const [processes, sandbox] = [yield* Processes, yield* Sandbox]
    const command = { file: "true", args: [], cwd, env: environment({}) }
    const policy = { writable: [], protected: [], network: false, cwd }
    const { exitCode, stderr } = yield* processes.run(sandbox.wrap(command, policy)).pipe(
      Effect.catchTag("SpawnFailed", ({ message }) => unavailable(message.replace(/\.$/, ""))),
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => unavailable(`an empty command did not end within ${duration(Duration.toMillis(patience))}`)
      })
    )
    if (exitCode === 0) return sandbox
    const said = (head(stderr).trim().split("\n")[0] ?? "").slice(0, 200).replace(/\.$/, "")
    return yield* unavailable(said === "" ? `an empty command ends with ${exitCode}` : said)
  })
  return Layer.provide(Layer.effect(Sandbox, attempt), layer)
}

/** Where commands run by the user's word. A target that is named and not there is an error, never another one. */
export const layer = (settings: SandboxSettings, cwd: string): Layer.Layer<Sandbox, SandboxUnavailable, Processes> => {
  const { engine = "docker", host, image, target = "detect" } = settings
  switch (target) {
    case "detect":
      return Sandbox.layerDetect
    case "none":
      return Sandbox.layerNone
    case "bubblewrap": {
      const mend = "Install bubblewrap with the system's packages and allow user namespaces"
      const patience = Duration.seconds(5)
      return tried({ target, layer: Sandbox.layerBubblewrap, patience, mend, platform: "linux" }, cwd)
    }
    case "sandbox-exec": {
      const mend = "It comes with macOS alone"
      const patience = Duration.seconds(5)
      return tried({ target, layer: Sandbox.layerSandboxExec, patience, mend, platform: "darwin" }, cwd)
    }
    case "container": {
      if (image === undefined) return Layer.unwrapEffect(missing(target, "image"))
      const mend = `Start ${engine} and check that ${engine} pull ${image} works`
      return tried(
        { target, layer: Sandbox.layerContainer({ engine, image }), patience: Duration.minutes(1), mend },
        cwd
      )
    }
    case "ssh": {
      if (host === undefined) return Layer.unwrapEffect(missing(target, "host"))
      const mend = `Check that ssh ${host} needs no input and has ${cwd}`
      return tried({ target, layer: Sandbox.layerSsh({ host }), patience: Duration.seconds(15), mend }, cwd)
    }
  }
}
