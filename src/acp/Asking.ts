import { methods } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type BudgetQuestion, raiseBudget } from "../agent/budgetQuestion.ts"
import type { Approvals } from "../approval/Approvals.ts"
import { AnswerClientCall, DecideApproval, Interrupt, type SessionCommand } from "../runtime/Command.ts"
import { AskUser } from "../tools/AskUser.ts"
import { type ClientCallRequested, trusted } from "../tool/ToolEvent.ts"
import type { Approval } from "../ui/Display.ts"
import { editedParameters } from "../ui/editedParameters.ts"
import { type Editor, malformed } from "./Editor.ts"
import { confirmForm, isConfirmed, textForm, textIn } from "./Form.ts"
import { chosen, offeredFor, requestOf } from "./Permission.ts"

/** What an editor that shows forms can be asked besides decisions. */
export const clientTools: ReadonlyArray<string> = [AskUser.name, raiseBudget]

export interface AskingOptions {
  readonly session: string
  readonly directory: string
  readonly editor: Editor
  readonly inspect: Approvals["Type"]["inspect"]
}

type Decided = Pick<DecideApproval, "decision" | "scope" | "wider" | "reason" | "parameters" | "frontend">

/** How often a form with broken parameters is shown again. */
const attempts = 3

/** Who decides where the editor cannot ask. */
const frontend = "acp"

/** Asks the editor about requests and questions of one session. */
export const make = ({ directory, editor, inspect, session }: AskingOptions) => {
  const { forms } = editor.can

  const reason = (call: string) =>
    editor.form(textForm({ session, call }, "Why not? The model is told.", "Reason")).pipe(
      Effect.flatMap(textIn),
      // The rejection counts without a reason.
      Effect.catchIf(
        ({ code }) => code !== undefined,
        () => Effect.succeedNone
      )
    )

  /** Parameters in place of those of the request; none where the person leaves the form. */
  const edited = ({ call, request }: Approval) =>
    Effect.gen(function* () {
      const known = { issues: inspect(request.id).issues }
      let text = JSON.stringify(request.arguments, undefined, 2)
      let problems: ReadonlyArray<string> = []
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const head = "The parameters as JSON. The call is asked about again with them."
        const message = [head, ...problems].join("\n")
        const said = yield* Effect.flatMap(
          editor.form(textForm({ session, call: call.key }, message, "Parameters", { default: text })),
          textIn
        )
        if (Option.isNone(said)) return Option.none<unknown>()
        const read = yield* editedParameters(said.value, known)
        if (Either.isRight(read)) return Option.some(read.right)
        text = said.value
        problems = read.left
      }
      return Option.none<unknown>()
    })

  /** The decision of the person; nothing where the editor has taken the question back or has gone. */
  const decision = (approval: Approval): Effect.Effect<SessionCommand | undefined> =>
    Effect.gen(function* () {
      const { call, request } = approval
      const { digest, id: approvalId } = request
      const offered = offeredFor(request, forms)
      const decide = (decided: Decided) => new DecideApproval({ session, approvalId, digest, ...decided }, trusted)
      for (;;) {
        const answer = yield* editor.permission(requestOf(approval, { session, directory, forms }))
        const choice = chosen(answer, offered)
        if (choice === undefined) return yield* malformed(methods.client.session.requestPermission)
        if (choice === "cancelled") return new Interrupt({ session }, trusted)
        switch (choice._tag) {
          case "Allow":
            return decide({
              decision: "approve",
              scope: choice.scope,
              ...(choice.wider === undefined ? {} : { wider: choice.wider })
            })
          case "Reject":
            return decide({ decision: "deny" })
          case "Explain": {
            const why = Option.filter(yield* reason(call.key), (text) => text.trim() !== "")
            return decide({ decision: "deny", ...(Option.isSome(why) ? { reason: why.value } : {}) })
          }
          case "Edit": {
            const parameters = yield* edited(approval)
            if (Option.isNone(parameters)) continue
            return decide({ decision: "approve", parameters: parameters.value })
          }
        }
      }
    }).pipe(
      // One that has gone has decided nothing: the request waits for the next who opens the session.
      Effect.catchAll(({ code, message }) =>
        Effect.succeed(
          code === undefined
            ? undefined
            : new DecideApproval(
                {
                  session,
                  approvalId: approval.request.id,
                  digest: approval.request.digest,
                  decision: "deny",
                  reason: message,
                  frontend
                },
                trusted
              )
        )
      )
    )

  const decodeQuestion = Schema.decodeUnknownOption(AskUser.parameters)

  /** The answer to a call that the editor is asked to run. */
  const answer = ({ parameters, requestId, tool }: ClientCallRequested): Effect.Effect<SessionCommand> =>
    Effect.gen(function* () {
      const reply = (said: { readonly result: unknown } | { readonly error: string }) =>
        new AnswerClientCall({ session, requestId, ...said }, trusted)
      if (tool === raiseBudget) {
        // What the runtime itself asks needs no decoding.
        const { question } = parameters as typeof BudgetQuestion.Type
        return reply({
          result: {
            raise: yield* Effect.flatMap(editor.form(confirmForm({ session }, question, "Raise it")), isConfirmed)
          }
        })
      }
      const asked = tool === AskUser.name ? decodeQuestion(parameters) : Option.none()
      if (Option.isNone(asked)) return reply({ error: "The editor does not support this call." })
      const { options = [], question } = asked.value
      const message = options.length === 0 ? question : [question, ...options.map((one) => `- ${one}`)].join("\n")
      return Option.match(yield* Effect.flatMap(editor.form(textForm({ session }, message, "Answer")), textIn), {
        onNone: () => reply({ error: "The user gave no answer." }),
        onSome: (text) => reply({ result: { answer: text } })
      })
    }).pipe(
      Effect.catchAll(({ message }) =>
        Effect.succeed(new AnswerClientCall({ session, requestId, error: message }, trusted))
      )
    )

  return { decision, answer }
}
