import * as Effect from "effect/Effect"
import { Configuration } from "../config/Configuration.ts"
import { locate } from "../host/locate.ts"
import * as ProjectConfig from "../host/ProjectConfig.ts"
import { Surroundings } from "../host/Surroundings.ts"

/** Where the command was called. */
export const place = Effect.flatMap(Surroundings, ({ directory }) => locate(directory))

/** The project that sessions begun here belong to. */
export const project = Effect.map(place, ({ project }) => project)

/** What it configures, as far as the user trusts it. */
export const projectConfig = Effect.flatMap(project, ProjectConfig.read)

/** The rules that are written down, those of a trusted project included. */
export const ruleOptions = Effect.zipWith(
  Effect.all([projectConfig, place]),
  Configuration,
  ([config, place], { settings }) => ProjectConfig.rulesIn(settings, place)(config)
)
