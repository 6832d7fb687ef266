import { render } from "preact"
import { begin } from "./Login.ts"
import { watchTitle } from "./approval/Notifier.tsx"
import { App } from "./view/App.tsx"
import { watch } from "./view/Watch.ts"

watch()
watchTitle()
render(<App />, document.body)
void begin()
