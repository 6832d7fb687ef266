import type { Script, SyntaxNode, TestExpression, Word } from "unbash"
import type { Numbers } from "./Numbers.ts"
import { background } from "../PlainRedirects.ts"
import { unread, type Unread } from "./Step.ts"

const isNumeric = ({ text }: Word, numbers: Numbers): boolean =>
  /^"?-?\d+"?$|^"?\$(?:[?#]|\{#\w+(?:\[@\])?\})"?$/.test(text) ||
  numbers.isNumber(text.replace(/^("?)\$\{?(\w+)\}?\1$/, "$2"))

/** Expansions with an index or a range that compute nothing. */
const isPlainExpansion = /^\$\{#?\w+\[(?:[@*]|\d+)\]\}$|^\$\{\w+:\s?-?\d+(?::\d+)?\}$/

/** What only zsh expands, and can run code for: an index without braces, and in braces flags, other expansions and patterns. */
const zshOnly = /\$\{[#^=~+]*["'`$(]|\$[#^=~+]*(?:\w+|[?#@*$!-])\[(?!\d+\]|[@*]\])|\$\{\(|\$\{[^}]*[*?\w.\]]\(/

/** The key of an element of a list, but a number. */
const computedKey = /^\[(?!\d+\]\+?=)[^\]]/

/** Whether what stands in `[[ … ]]` begins as a command does that is named: with no option and no variable. */
const beginsCommand = (test: TestExpression | undefined): boolean => {
  switch (test?.type) {
    case "TestUnary":
      return test.operand.pos === test.pos && isNamed(test.operand)
    case "TestBinary":
      return isNamed(test.left)
    case "TestNot":
      return beginsCommand(test.operand)
    case "TestGroup":
      return beginsCommand(test.expression)
    case "TestLogical":
      return beginsCommand(test.operands[0])
    default:
      return false
  }
}

const isNamed = ({ text }: Word): boolean => !/^(?:"?\$|["']?-)/.test(text)

/** What a shell that has no `[[` takes for a redirection, or for another command: with parentheses it reads none of it. */
const isApart = ({ operator, right }: Extract<TestExpression, { type: "TestBinary" }>): boolean =>
  /^[<>]$/.test(operator) || (operator === "=~" && /^[^("']*\|/.test(right.text))

/** Why a part of shell syntax may run code that no word of it names, if so. */
export const hazardOf = (node: SyntaxNode | Script, numbers: Numbers): Unread | undefined => {
  switch (node.type) {
    case "Assignment": {
      const { index, name, value } = node
      const isComputed = value.type !== "Word" && value.elements.some(({ text }) => computedKey.test(text))
      return index !== undefined || isComputed ? unread(name, "an index can run code") : undefined
    }
    case "Command":
      return background(node)?.isAll === false ? unread("&>", "some shells run what stands behind it") : undefined
    case "TestUnary":
      return /^-[vR]$/.test(node.operator) ? unread(node.operator, "its operand can run code") : undefined
    case "TestLogical":
      return node.operands.slice(1).some(beginsCommand)
        ? unread(`[[ … ${node.operator} …`, "`sh` runs what stands there as another command")
        : undefined
    case "TestBinary":
      if (isApart(node)) return unread(`[[ … ${node.operator} …`, "`sh` takes it for a redirection or a pipe")
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) &&
        ![node.left, node.right].every((word) => isNumeric(word, numbers))
        ? unread(node.operator, "what it compares can run code")
        : undefined
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return numbers.computes(node) ? undefined : unread("((…))", "what it computes can run code")
    case "ArithmeticExpansion":
      return /[A-Za-z_$`]/.test(node.text.slice(1)) && !numbers.computes(node)
        ? unread(node.text, "what it computes can run code")
        : undefined
    case "ParameterExpansion": {
      const { index, operation, prefix, text } = node
      const computes =
        prefix === "!" || index !== undefined || operation?.type === "Transform" || operation?.type === "Slice"
      return zshOnly.test(text) || (computes && !isPlainExpansion.test(text))
        ? unread(text, "its expansion can run code")
        : undefined
    }
    case "Word":
      return zshOnly.test(node.text.includes('"') ? node.text : node.text.replaceAll(/'[^']*'/g, ""))
        ? unread(node.text, "some shells run code to expand it")
        : undefined
    case "ExtendedGlob":
      return unread(node.text, "some shells run code to expand it")
    case "Coproc":
      return unread("coproc", "it is not read")
    case "Select":
      return unread("select", "it is not read")
    default:
      return undefined
  }
}
