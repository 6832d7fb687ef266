import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

/** A dialog over the page, until Esc or a click beside it; the focus goes back to where it was. */
export const Dialog = ({
  children,
  label,
  onClose
}: {
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const place = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = place
    current?.showModal()
    // Closed before it goes: until then nothing behind it can have the focus.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={place}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ currentTarget, target }) => {
        if (target === currentTarget) onClose()
      }}
      // What is typed here is meant for nothing behind it.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">{children}</div>
    </dialog>
  )
}
