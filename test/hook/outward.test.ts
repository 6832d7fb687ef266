import { assert, describe, it } from "@effect/vitest"
import { outcomeIn } from "./support.ts"

const of = outcomeIn("/w")
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
const isLeft = (command: string) => ["allow", "defer"].includes(of(command).decision)

const asks = (text: string, reason: string) => {
  for (const command of lines(text)) {
    const told = of(command)
    assert.strictEqual(told.decision, "ask", command)
    assert.include(told.reason, reason, command)
  }
}
const passes = (text: string) =>
  assert.deepStrictEqual(
    lines(text).filter((command) => !isLeft(command)),
    []
  )

describe("a command whose effects leave the project", () => {
  it("is asked about where it installs for other projects as well (X5, S2)", () => {
    asks(
      `
      cargo install ripgrep
      go install ./...
      gem install rails
      rustup update
      rustup target add wasm32-unknown-unknown
      corepack enable
      dotnet tool install -g x
      dotnet tool update --global x
      cabal install x
      stack install
      mix archive.install hex phx_new
      pip install --user x
      pip3 install --break-system-packages x
      python3 -m pip install --user x
      cmake --install build
      cmake --build build --target install
      ninja -j4 install
      meson install
    `,
      "installed outside of the project"
    )
    passes(`
      cargo install --list
      cargo build
      go build ./...
      gem list
      bundle install
      rustup
      rustup show
      rustup target list
      dotnet tool install x
      pip install x
      python3 -m pip install x
      cmake --build build
      cmake --install build --prefix out
      ninja
      meson compile
    `)
  })

  it("is asked about where it is called as if it published something (X5, S2)", () => {
    asks(
      `
      make deploy
      make build deploy
      make deploy:prod
      gmake publish
      make release
      just deploy
      task deploy
      rake deploy
      npm run docs:deploy
      yarn deploy
      bun deploy
      nx deploy app
      nx run app:deploy
      turbo run deploy
    `,
      "as if it published something"
    )
    passes(`
      make
      make test build
      just build
      npm run build:release
      yarn build
      nx run app:build
      turbo run build
    `)
  })

  it("is asked about where it offers files to the network (X5, S2)", () => {
    asks("python3 -m http.server\npython3 -m http.server 80 --bind 0.0.0.0", "to the network")
    passes("python3 -m http.server 8000 --bind 127.0.0.1\npython3 -m http.server -b localhost")
  })

  it("is asked about where it uses what lies in /opt and is no program or part of one (X5, S2)", () => {
    asks(
      `
      cat /opt/site/notes.txt
      python3 /opt/site/run.py
      black /opt/site
      pytest /opt/site/test
    `,
      "outside the workspace"
    )
    passes(`
      gcc -I/opt/homebrew/include a.c
      /opt/homebrew/bin/node a.js
      ls /opt/homebrew/opt/openssl/lib
    `)
  })
})
