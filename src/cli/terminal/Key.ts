import type { UserInput } from "@effect/platform/Terminal"

/** A pressed key; one named `paste` holds the whole pasted text. */
export type Key = UserInput

export const isCtrl = ({ key }: Key, name: string): boolean => key.ctrl && key.name === name
export const isEscape = ({ key }: Key): boolean => key.name === "escape"
export const isEnter = ({ key }: Key): boolean => key.name === "return" || key.name === "enter"
