import { useRef } from "preact/hooks"
import { logIn, loginProblem, me } from "../Login.ts"

const ended = "Your login has ended: the server was started again, or your token was revoked or has expired."

/** Asks for a token, where the address had none or its login has ended. */
export const LoginPage = () => {
  const place = useRef<HTMLInputElement>(null)
  const problem = loginProblem.value?.message ?? (me.value === undefined ? undefined : ended)
  return (
    <main class="login">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void logIn(place.current?.value.trim() ?? "")
        }}
      >
        <h1>
          <span class="gate" aria-hidden="true" /> Tollgate
        </h1>
        <p>Open the address that tollgate serve has printed, or paste a token.</p>
        <label for="token">Token</label>
        <input id="token" ref={place} type="password" autocomplete="off" />
        {problem === undefined ? null : (
          <p class="warning" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">Log in</button>
      </form>
    </main>
  )
}
