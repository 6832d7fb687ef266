import { useRef } from "preact/hooks"
import { logIn, loginProblem } from "../Login.ts"

/** Asks for a token, where the address had none. */
export const LoginPage = () => {
  const place = useRef<HTMLInputElement>(null)
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
        {loginProblem.value === undefined ? null : (
          <p class="warning" role="alert">
            {loginProblem.value.message}
          </p>
        )}
        <button type="submit">Log in</button>
      </form>
    </main>
  )
}
