import * as crypto from "node:crypto"

/** The style of an exported page: light and dark by the reader's choice, and fit for paper. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #d5d9e0; --quiet: #5b6472; --box: #f5f6f8; --ins: #116329; --del: #a40e26; --link: #0550ae }
@media (prefers-color-scheme: dark) { :root { --line: #3a414b; --quiet: #9aa4b1; --box: #1c2128; --ins: #7ee787; --del: #ffa198; --link: #79b8ff } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--quiet); font-size: .85rem }
dd { margin: 0; overflow-wrap: anywhere }
section { border-top: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere }
section > header { display: flex; gap: .8rem; align-items: baseline; color: var(--quiet); font-size: .85rem }
section > header h2 { margin: 0; font-size: .85rem; color: CanvasText }
pre { margin: .4rem 0; padding: .5rem .7rem; background: var(--box); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, monospace }
pre.words { padding: 0; background: none; font: inherit }
code { font-family: ui-monospace, monospace; font-size: .9em }
details { margin: .4rem 0 }
summary { cursor: pointer; color: var(--quiet); font-size: .85rem }
a { color: var(--link) }
table { border-collapse: collapse }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: start }
blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid var(--line) }
.diff ins { color: var(--ins); text-decoration: none }
.diff del { color: var(--del); text-decoration: none }
.diff span { color: var(--quiet) }
footer { border-top: 1px solid var(--line); padding-top: .6rem; color: var(--quiet); font-size: .85rem }
@media print { body { font-size: 11pt } main { max-width: none; padding: 0 } pre { border: 1px solid var(--line) } section > header { break-after: avoid } details::details-content { content-visibility: visible; display: block } details.source { display: none } }
`

/** The style that the page may have, and nothing else: it loads, runs, sends and frames nothing. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${crypto.createHash("sha256").update(pageStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")
