import type { WaitingApproval } from "../../server/ApiSchema.ts"
import { visibleLine } from "../../text/visible.ts"
import { ruleLink } from "./ruleLink.ts"

const words = {
  always: { about: "Always saves this rule for the project:", act: "Save and allow" },
  wider: {
    about: "For this session, this allows what fits the rule and is not protected:",
    act: "Allow for the session"
  }
}

/** The rule that an answer for longer makes, to be confirmed. */
export const RuleConfirm = ({
  kind,
  onCancel,
  onConfirm,
  standing,
  waiting
}: {
  readonly kind: keyof typeof words
  readonly standing: boolean
  readonly waiting: WaitingApproval
  readonly onCancel: () => void
  readonly onConfirm: (event: Event) => void
}) => {
  const { rule, wider } = waiting.request
  return (
    <div class="confirm" role="group" aria-label="Confirm the rule">
      <p>{words[kind].about}</p>
      <pre class="exact">{visibleLine((kind === "always" ? rule : wider?.rule) ?? "")}</pre>
      <div class="actions">
        <button type="button" onClick={onCancel}>
          Back <kbd>Esc</kbd>
        </button>
        {kind === "always" ? (
          <a class="button" href={ruleLink(waiting)}>
            Change the rule…
          </a>
        ) : null}
        <span class="grow" />
        <button type="button" class="allow" aria-disabled={!standing} onClick={onConfirm}>
          {words[kind].act} <kbd>⏎</kbd>
        </button>
      </div>
    </div>
  )
}
