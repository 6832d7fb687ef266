import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { make, Redactor, redactText } from "../../src/redaction/Redactor.ts"
import { type Environment, environmentSecrets, maxSecrets } from "../../src/redaction/EnvironmentSecrets.ts"
import { secretName } from "../../src/redaction/SecretName.ts"
import { corpus } from "../support/corpora.ts"
import { chunks, fake, text } from "./fragments.ts"

const { json: redactJson } = make()

const rows = corpus<string | { readonly concat: ReadonlyArray<string> }>("g_extras")

const inputOf = (input: string | { readonly concat: ReadonlyArray<string> }): string =>
  typeof input === "string" ? input : input.concat.join("")

/** The part of a row that must not be seen; the rest tells what it is. */
const secretOf = (input: string): string =>
  /-----\n([\s\S]+)\n-----/.exec(input)?.[1] ?? /:([^:/]+)@/.exec(input)?.[1] ?? input.split(/[\s=:"]+/).at(-1)!

/** A piece longer than a window is read in parts, which begin elsewhere once something in it is replaced. */
const hasShortPieces = (input: string): boolean => input.split(/[\s"'`<>]/).every((_) => _.length <= 4096)

describe("redactText", () => {
  for (const row of rows.filter((_) => _.kind === "redact")) {
    const input = inputOf(row.input)
    const secret = secretOf(input)

    it(`${row.id} masks a ${row.why} in text, JSON, URLs, base64 and between chunks (A9)`, () => {
      const spellings = {
        plain: `before ${input} after`,
        json: JSON.stringify({ text: input }),
        percent: `https://host.example/p?x=1&d=${encodeURIComponent(input)}&y=2`,
        "percent throughout": `https://host.example/${[...Buffer.from(input)].map((_) => `%${_.toString(16)}`).join("")}`,
        base64: `https://host.example/p?d=${Buffer.from(input).toString("base64")}`,
        "base64 in a path": `https://host.example/path/${Buffer.from(input).toString("base64url")}/x`,
        "base64 after letters": `https://host.example/p?d=v1${Buffer.from(input).toString("base64")}`,
        "base64 of more": Buffer.from(`{"note":"${input}"}`).toString("base64")
      }
      for (const [name, spelling] of Object.entries(spellings)) {
        const redacted = redactText(spelling)
        assert.notInclude(redacted, secret, name)
        assert.include(redacted, "[redacted-", name)
        for (const part of redacted.split(/[^\w+/-]/)) {
          for (const offset of [0, 1, 2, 3]) {
            assert.notInclude(Buffer.from(part.slice(offset), "base64").toString("latin1"), secret, name)
          }
        }
      }
      for (let cut = 0; cut <= input.length; cut++) {
        const stream = make().stream()
        const shown = stream.push(input.slice(0, cut)) + stream.push(input.slice(cut)) + stream.flush()
        assert.strictEqual(shown, redactText(input))
      }
    })

    it(`${row.id} masks a ${row.why} in an error's message and in nested values (S5)`, () => {
      const redacted = JSON.stringify(redactJson({ error: new Error(`failed with ${input}`), deep: [{ text: input }] }))
      assert.notInclude(redacted, JSON.stringify(secret).slice(1, -1))
    })
  }

  for (const row of rows.filter((_) => _.kind === "redact-negative")) {
    it(`${row.id} leaves it: ${row.why} (A9)`, () => assert.strictEqual(redactText(inputOf(row.input)), row.input))
  }

  it.each([
    [fake.github, "[redacted-github-token]"],
    [`x=${fake.jwt};`, "x=[redacted-jwt];"],
    [`(${fake.slack})`, "([redacted-slack-token])"],
    [`a\n${fake.pem}\nb`, "a\n-----BEGIN RSA PRIVATE KEY-----[redacted-private-key]\nb"],
    [JSON.stringify({ private_key: fake.pem, b: 1 }), `{"private_key":"[redacted-private-key]","b":1}`],
    [`{"password":"two words, \\"quoted\\"","user":"bob"}`, `{"password":"[redacted-password]","user":"bob"}`],
    [`{\\"password\\":\\"x y\\",\\"a\\":1}`, `{\\"password\\":\\"[redacted-password]\\",\\"a\\":1}`],
    [`{"token":123456,"max_tokens":5}`, `{"token":[redacted-token],"max_tokens":5}`],
    [`{"tokens":["x"],"password":["x y"]}`, `{"tokens":["x"],"password":["[redacted-password]"]}`],
    [`{"prompt":"Enter password:","user":"bob"}`, `{"prompt":"Enter password:","user":"bob"}`],
    ["DB_PASSWORD=a;b,c next", "DB_PASSWORD=[redacted-password] next"],
    ["apiKey: abc # note", "apiKey: [redacted-api-key] # note"],
    ["users' password = 'x y' and", "users' password = '[redacted-password]' and"],
    ["login --password hunter2 --user bob", "login --password [redacted-password] --user bob"],
    ["login --token=hunter2 -v", "login --token=[redacted-token] -v"],
    ["/x?access_token=abc&a=b#c", "/x?access_token=[redacted-token]&a=b#c"],
    ["user%5Bpassword%5D=hunter2", "[redacted-percent-encoded]"],
    ["<password>hunter2</password>", "<password>[redacted-password]</password>"],
    [`-H "Authorization: Digest a=b, c=d" -v`, `-H "Authorization: [redacted-authorization]" -v`],
    ["Authorization:Basic dXNlcjpwYXNz\nHost: a", "Authorization:Basic [redacted-authorization]\nHost: a"],
    ["Cookie: a=b; c=d\nHost: a", "Cookie: [redacted-cookie]\nHost: a"],
    ["sent Bearer abc123def456 to it", "sent Bearer [redacted-authorization] to it"],
    ["mysql -u root -phunter2 db", "mysql -u root -p[redacted-password] db"],
    ["a.sh:12:/usr/bin/mysqldump -uroot -phunter2 x", "a.sh:12:/usr/bin/mysqldump -uroot -p[redacted-password] x"],
    ["a.sh:12:curl -u bob:hunter2 x", "a.sh:12:curl -u bob:[redacted-password] x"],
    [".netrc:1:machine h login bob password hunter2", ".netrc:1:machine h login bob password [redacted-password]"],
    ["redis-cli -a hunter2 ping", "redis-cli -a [redacted-password] ping"],
    ["localhost:5432:db:bob:hunter2", "localhost:5432:db:bob:[redacted-password]"],
    ["~/.pgpass:1:*:*:*:bob:hunter2", "~/.pgpass:1:*:*:*:bob:[redacted-password]"],
    ["docker login -u bob -p hunter2 host", "docker login -u bob -p [redacted-password] host"],
    ["podman login -phunter2", "podman login -p[redacted-password]"],
    ["helm registry login host -p 'hunter2'", "helm registry login host -p '[redacted-password]'"],
    ["az login -u bob -p hunter2", "az login -u bob -p [redacted-password]"],
    ["cf auth bob -p hunter2", "cf auth bob -p [redacted-password]"],
    ["htpasswd -b users bob hunter2", "htpasswd -b users bob [redacted-password]"],
    ["htpasswd -cbB -C 10 users bob hunter2", "htpasswd -cbB -C 10 users bob [redacted-password]"],
    ["htpasswd -nb bob hunter2", "htpasswd -nb bob [redacted-password]"],
    ["rabbitmqctl add_user bob hunter2", "rabbitmqctl add_user bob [redacted-password]"],
    ["PGPASSWORD=hunter2 psql -h x", "PGPASSWORD=[redacted-password] psql -h x"],
    ["sshpass -p hunter2 ssh -p 22 x", "sshpass -p [redacted-password] ssh -p 22 x"],
    ["mongosh -u bob -p hunter2 db", "mongosh -u bob -p [redacted-password] db"],
    ["ldapsearch -D cn=x -w hunter2", "ldapsearch -D cn=x -w [redacted-password]"],
    ["zip -P hunter2 a.zip a", "zip -P [redacted-password] a.zip a"],
    ["7z a -phunter2 a.7z", "7z a -p[redacted-password] a.7z"],
    ["smbclient -U bob%hunter2 //x/y", "smbclient -U bob%[redacted-password] //x/y"],
    ["lftp -u bob,hunter2 x", "lftp -u bob,[redacted-password] x"],
    ["http -a bob:hunter2 x", "http -a bob:[redacted-password] x"],
    ["skopeo copy --src-creds bob:hunter2 a b", "skopeo copy --src-creds bob:[redacted-password] a b"],
    ["openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:[redacted-password] -in k"],
    ["sqlcmd -U sa -P hunter2 -Q x", "sqlcmd -U sa -P [redacted-password] -Q x"],
    ["plink -pw hunter2 x", "plink -pw [redacted-password] x"],
    ["rclone obscure hunter2", "rclone obscure [redacted-password]"],
    ["mongodb+srv://bob:hunter2@host/db", "mongodb+srv://bob:[redacted-url-password]@host/db"],
    ["postgres://u:p,w@host/db", "postgres://u:[redacted-url-password]@host/db"],
    [String.raw`"https:\/\/u:pw@host\/"`, String.raw`"https:\/\/u:[redacted-url-password]@host\/"`]
  ])("redacts %j as %j (A9)", (input, expected) => assert.strictEqual(redactText(input), expected))

  it.each([
    "git clone ssh://git@host/repo.git https://host:8080/a@b",
    "token: string; password: config.password; secret=$SECRET, apiKey: process.env.API_KEY",
    "const password = await readPassword()",
    "The password is wrong. A bearer token is needed. Basic authentication failed.",
    "b3f1c0de5a6f4c0f9a3c2d1e0f9a8b7c6d5e4f30",
    "123e4567-e89b-12d3-a456-426614174000",
    "src/policy/network/GuardedFetch.ts:12:34 task-manager-for-everyone sk-learn-classifier",
    `{"max_tokens":4096,"tokenCount":7,"password":null,"secret":"","passwordPolicy":"long"}`,
    "std::token::Parser use token::Kind; a == b",
    "docker run -p 8080:80 -e A=b x; az group list -p; mkdir -p a && cp -p b c",
    "src/a.ts:1234:foo:bar:baz a.c:12:5:error:x:y 10:54:31:12:01:02 zip -r a.zip a; unzip -p a.zip",
    "cat: /etc/passwd: Permission denied; /etc/passwd-: No such file; etc/passwd:3: bad line",
    "cat: credentials: Permission denied; mv: secrets: Operation not permitted; token: rejected; password: error 5",
    "mysql -p db; curl -u bob x; htpasswd -c users bob; psql -h localhost -p 5432 -U bob"
  ])("leaves %j (A9)", (input) => assert.strictEqual(redactText(input), input))

  it("stops hiding where a heading of a key turns out to be prose (A9)", () => {
    const input = `A file starts with -----BEGIN ${"PRIVATE"} KEY----- as you know and this is the rest of it`
    assert.include(redactText(input), "is the rest of it")
  })

  it("changes nothing when it is applied again (A9)", () => {
    FastCheck.assert(
      FastCheck.property(text.filter(hasShortPieces), (input) => {
        const once = redactText(input)
        assert.strictEqual(redactText(once), once)
      }),
      { numRuns: 300 }
    )
  })

  it("takes time in proportion to hostile input (A9)", () => {
    const parts =
      "token=[ secret: https://a: eyJ. -eyJ %41 a, a= \\\\ \\\" ' sk- ://u: password=a,b= token=$( aB3+ -----BEGIN ) a.b( < @"
    const words = [
      "curl -u ",
      "sshpass -p",
      "machine x login y password ",
      "Private-Lines: 1\n",
      "?code=",
      "JSESSIONID=a"
    ]
    for (const part of [...parts.split(" "), ...words]) assert.isString(redactText(part.repeat(200_000 / part.length)))
  })
})

describe("stream", () => {
  it("says the same however the text is cut (A9)", () => {
    FastCheck.assert(
      FastCheck.property(text, FastCheck.array(FastCheck.nat(), { maxLength: 40 }), (whole, cuts) => {
        const stream = make().stream()
        const shown = chunks(whole, cuts).map(stream.push).join("") + stream.flush()
        assert.strictEqual(shown, redactText(whole))
      }),
      { numRuns: 1000 }
    )
  })

  it("says the same one character at a time, and after a flush (A9)", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(text, { maxLength: 3 }), (texts) => {
        const stream = make().stream()
        for (const whole of texts.map((_) => _.slice(0, 500))) {
          assert.strictEqual([...whole].map(stream.push).join("") + stream.flush(), redactText(whole))
        }
      }),
      { numRuns: 200 }
    )
  })

  it("holds back no more than a piece (A9)", () => {
    const stream = make().stream()
    assert.strictEqual(stream.push("one two thr"), "one two ")
    let shown = 0
    for (let i = 0; i < 100; i++) shown += stream.push("x".repeat(1000)).length
    assert.isAbove(shown, 100_000 - 8192 - 1000)
  })

  it.effect("shows what was held back also where the stream fails (A9)", () =>
    Effect.gen(function* () {
      const shown: Array<string> = []
      const failing = Stream.concat(Stream.make("a pass", "word=hun", "ter2"), Stream.fail("cut"))
      const failure = yield* make()
        .transform(failing)
        .pipe(
          Stream.runForEach((_) => Effect.sync(() => shown.push(_))),
          Effect.flip
        )
      assert.deepStrictEqual([shown.join(""), failure], ["a password=[redacted-password]", "cut"])
      const whole = yield* Stream.runCollect(make().transform(Stream.make("tok", "en: ab", "c d")))
      assert.strictEqual(Chunk.join(whole, ""), "token: [redacted-token] d")
    })
  )
})

describe("the working directory", () => {
  it("is no password, however an environment or a command names it (S5)", () => {
    for (const text of [
      "PWD=/srv/x",
      "OLDPWD=/a\nPWD=/b/ü c",
      "ENV PWD=/app",
      'declare -x OLDPWD="/home/me"',
      '{"PWD":"/srv"}',
      'docker run -v $PWD:/app -v "$PWD":/b x'
    ]) {
      assert.strictEqual(redactText(text), text)
    }
    assert.deepStrictEqual(redactJson({ PWD: "/srv", OLDPWD: "/" }), { PWD: "/srv", OLDPWD: "/" })
  })

  it("is not what a connection string or another variable says under such a name (S5)", () => {
    for (const text of [
      "Server=x;Uid=sa;Pwd=/abc9;",
      "UID=sa;PWD=/abc9;",
      "Uid=sa; PWD=/abc9;",
      "PWD=/abc9!",
      "PWD=abc9abc9",
      'pwd: "/abc9"',
      "DB_PWD=/abc9",
      'PWD="abc9 /x"'
    ]) {
      assert.notInclude(redactText(text), "abc9", text)
    }
    assert.deepStrictEqual(redactJson({ pwd: "/abc9", PWD: "abc9" }), {
      pwd: "[redacted-password]",
      PWD: "[redacted-password]"
    })
  })
})

describe("the secrets of an environment", () => {
  const told = (environment: Environment, named: ReadonlyArray<string> = []) =>
    environmentSecrets(environment, named).map((_) => Redacted.value(_))

  it("are what named variables hold, and those whose name says so (S5)", () => {
    const environment = { MYKEY: " named value ", SOME_TOKEN: "value of it", TOWN: "Trondheim", A_PASSWORD: "12345678" }
    assert.deepStrictEqual(told(environment, ["MYKEY", "ABSENT"]), ["named value", "value of it", "12345678"])
    assert.deepStrictEqual(told(environment), ["value of it", "12345678"])
  })

  it("are not what would blacken ordinary text: short values, words, places, what is said openly (S5)", () => {
    const environment = {
      PWD: import.meta.dirname,
      OLDPWD: "/home/u/project/gone-since",
      SSH_ASKPASS: "/usr/lib/nowhere/askpass",
      APP_CREDENTIALS: import.meta.filename,
      DB_PASSWORD: "postgres",
      DB_USER: "postgres",
      A_TOKEN: "password",
      B_TOKEN: "required",
      C_TOKEN: "seven77"
    }
    assert.deepStrictEqual(told(environment), [])
    assert.deepStrictEqual(told({ KEY_TOKEN: "/aB3dE5fG/none+9" }), ["/aB3dE5fG/none+9"])
  })

  it("are bounded in number and in length, the named ones first (S5)", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`T${n}X_TOKEN`, `value number ${n}`]))
    const found = told({ ...many, LONG_TOKEN: "x".repeat(5000), MINE: "my own value" }, ["MINE"])
    assert.strictEqual(found.length, maxSecrets)
    assert.strictEqual(found[0], "my own value")
  })
})

describe("registered secrets", () => {
  const secret = "correct horse+battery/staple?"
  const redactor = make({ secrets: [Redacted.make(secret), Redacted.make("correct horse"), Redacted.make("ab")] })

  it("finds a value as URLs, JSON and base64 spell it, the longest first (S5)", () => {
    const spellings = [secret, encodeURIComponent(secret), secret.replaceAll(" ", "+"), JSON.stringify({ a: secret })]
    for (const spelling of spellings.slice(0, 2))
      assert.strictEqual(redactor.text(`<${spelling}>`), "<[redacted-secret]>")
    for (const prefix of ["", "a", "ab", "abc"]) {
      const encoded = Buffer.from(`${prefix}${secret}${prefix}`).toString("base64")
      assert.include(redactor.text(`https://host/?q=${encoded}`), "[redacted-secret]")
    }
    assert.strictEqual(redactor.text("correct horse, ab"), "[redacted-secret], ab")
    const odd = "p&\"a<ss'w/ 9+x"
    const spelled = [
      Buffer.from(odd).toString("hex"),
      Buffer.from(odd).toString("hex").toUpperCase(),
      "p&amp;&quot;a&lt;ss&#39;w/ 9+x",
      JSON.stringify(JSON.stringify(odd)).slice(3, -3),
      encodeURIComponent(odd).toLowerCase()
    ]
    for (const spelling of spelled)
      assert.strictEqual(make({ secrets: [Redacted.make(odd)] }).text(`(${spelling})`), "([redacted-secret])")
  })

  it("finds their base64 and their hexadecimal over several lines, in a text and in its chunks (S5)", () => {
    const cases = FastCheck.record({
      told: FastCheck.string({ minLength: 8, maxLength: 120, unit: "grapheme" }).filter((_) => _.trim().length >= 8),
      before: FastCheck.string({ maxLength: 130 }),
      after: FastCheck.string({ maxLength: 60 }),
      encoding: FastCheck.constantFrom<BufferEncoding>("base64", "hex"),
      columns: FastCheck.constantFrom(60, 64, 70, 76),
      newline: FastCheck.constantFrom("\n", "\r\n", "\n    ", String.raw`\n`, String.raw`\r\n`),
      cuts: FastCheck.array(FastCheck.nat(), { maxLength: 8 })
    })
    FastCheck.assert(
      FastCheck.property(cases, ({ after, before, columns, cuts, encoding, newline, told }) => {
        const one = make({ secrets: [Redacted.make(told)] })
        const line = Buffer.from(before + told.trim() + after).toString(encoding)
        const whole = `x ${line.match(new RegExp(`.{1,${columns}}`, "g"))!.join(newline)} y`
        const shown = one.text(whole)
        const from = shown.indexOf("[redacted-")
        const unwrapped = shown.replaceAll(newline, "")
        const inner = Buffer.from(told.trim()).toString(encoding).replace(/=+$/, "").slice(0, -1)
        if (Buffer.byteLength(before) % 3 === 0 || encoding === "hex") assert.notInclude(unwrapped, inner)
        assert.isAtLeast(from, 0)
        const stream = one.stream()
        assert.strictEqual(chunks(whole, cuts).map(stream.push).join("") + stream.flush(), shown)
      }),
      { numRuns: 400 }
    )
  })

  it("finds them however the text is cut (S5)", () => {
    const piece = FastCheck.constantFrom(
      secret,
      "correct ",
      "correct horse",
      "horse+battery/stap",
      "Y29ycmVjd",
      " ",
      "a",
      "'"
    )
    const texts = FastCheck.array(piece, { maxLength: 12 }).map((_) => _.join(""))
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.array(FastCheck.nat(), { maxLength: 20 }), (whole, cuts) => {
        const stream = redactor.stream()
        const shown = chunks(whole, cuts).map(stream.push).join("") + stream.flush()
        assert.strictEqual(shown, redactor.text(whole))
        assert.notInclude(shown, secret)
      }),
      { numRuns: 500 }
    )
  })

  it.effect("come by the layer; without it secrets are known by their looks (S5)", () =>
    Effect.gen(function* () {
      const input = `correct horse ${fake.github}`
      assert.strictEqual((yield* Redactor).text(input), "correct horse [redacted-github-token]")
      const provided = Effect.provide(Redactor, Redactor.layer({ secrets: [Redacted.make("correct horse")] }))
      assert.strictEqual((yield* provided).text(input), "[redacted-secret] [redacted-github-token]")
    })
  )
})

describe("redactJson", () => {
  it("replaces values by the names they stand under, and strings by the rules of text (A9)", () => {
    const input = {
      user: "bob",
      Password: "x",
      "api-key": 5,
      client_secret: { nested: "x" },
      accessToken: null,
      tokens: 12,
      headers: [{ name: "Authorization", value: "x" }, ["Cookie", "a=b"], { name: "Accept", value: "x" }],
      argv: ["login", "--password", "hunter2", "--user", "bob"],
      text: `use ${fake.github}`,
      [fake.aws]: 1,
      when: DateTime.toDateUtc(DateTime.unsafeMake(0)),
      redacted: Redacted.make("x"),
      bytes: new Uint8Array(3)
    }
    const before = structuredClone({ ...input, redacted: undefined })
    assert.deepStrictEqual(redactJson(input), {
      user: "bob",
      Password: "[redacted-password]",
      "api-key": "[redacted-api-key]",
      client_secret: "[redacted-secret]",
      accessToken: null,
      tokens: 12,
      headers: [
        { name: "Authorization", value: "[redacted-authorization]" },
        ["Cookie", "[redacted-cookie]"],
        { name: "Accept", value: "x" }
      ],
      argv: ["login", "--password", "[redacted-password]", "--user", "bob"],
      text: "use [redacted-github-token]",
      "[redacted-aws-key]": 1,
      when: "1970-01-01T00:00:00.000Z",
      redacted: "[redacted-secret]",
      bytes: "[3 bytes]"
    })
    assert.deepStrictEqual({ ...input, redacted: undefined }, before)
  })

  it("ends on cycles, on depth and on size, and keeps odd keys as data (A9)", () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle["self"] = cycle
    assert.include(JSON.stringify(redactJson(cycle)), "too deep")
    assert.include(JSON.stringify(redactJson(Array.from({ length: 50_000 }, () => 1))), "too many")
    const odd = redactJson(JSON.parse(`{"__proto__":{"a":1}}`)) as object
    assert.deepStrictEqual(Object.keys(odd), ["__proto__"])
  })
})

describe("secretName", () => {
  it("folds case and separators, and passes over names that only speak about a secret (A9)", () => {
    for (const name of [
      "PASSWORD",
      "db_password",
      "dbPass",
      "x-api-key",
      "X_API_KEY",
      "apikey2",
      "AWS_SECRET_ACCESS_KEY"
    ]) {
      assert.isDefined(secretName(name), name)
    }
    for (const name of [
      "set-cookie",
      "_authToken",
      "refreshToken",
      "id_token",
      "stripe.secret.live",
      "Proxy-Authorization"
    ]) {
      assert.isDefined(secretName(name), name)
    }
    for (const name of [
      "max_tokens",
      "tokenizer",
      "passwordLength",
      "secret_name",
      "author",
      "keyboard",
      "bypass",
      "key",
      "secrets.json",
      "src/secret.test.ts"
    ]) {
      assert.isUndefined(secretName(name), name)
    }
  })
})
