import { render } from "preact"
import { begin } from "./Login.ts"
import { watchTitle } from "./approval/Notifier.tsx"
import { keepDrafts } from "./session/Drafts.ts"
import { App } from "./view/App.tsx"
import { watch } from "./view/Watch.ts"

watch()
watchTitle()
keepDrafts()
render(<App />, document.body)
void begin()
