import * as Command from "@effect/cli/Command"
import type { CommandTree } from "../Help.ts"
import { UsageError } from "../Outcome.ts"

type Member = CommandTree["command"] | CommandTree

type CommandOf<M> = M extends CommandTree ? M["command"] : Extract<M, CommandTree["command"]>

type Members = readonly [Member, ...ReadonlyArray<Member>]

const nodeOf = (member: Member): CommandTree => ("command" in member ? member : { command: member })

const nameOf = (member: Member): string => [...Command.getNames(nodeOf(member).command)].join()

/** A command with those below it, each a command or a group itself, by their own names. */
export const group = <Name extends string, R, E, A, const M extends Members>(
  command: Command.Command<Name, R, E, A>,
  members: M
) => {
  type Commands = readonly [CommandOf<M[number]>, ...ReadonlyArray<CommandOf<M[number]>>]
  const commands = members.map((member) => nodeOf(member).command) as ReadonlyArray<unknown> as Commands
  return {
    command: Command.withSubcommands(command, commands),
    below: Object.fromEntries(members.map((member) => [nameOf(member), nodeOf(member)]))
  }
}

/** A group that does nothing by itself; `path` is what is typed before the names of its members. */
export const bareGroup = <const M extends Members>(path: string, about: string, members: M) =>
  group(
    Command.make(
      path.slice(path.lastIndexOf(" ") + 1),
      {},
      () => new UsageError({ reason: `tollgate ${path} has commands: ${members.map(nameOf).join(", ")}.` })
    ).pipe(Command.withDescription(about)),
    members
  )
