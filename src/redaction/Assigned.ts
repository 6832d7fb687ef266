import { secretName } from "./SecretName.ts"

/** Words that follow a name of a secret without being one. */
const words = new Set(
  (
    "a all an and any are as be been but by can cannot could do does empty expired false field for from has have if in incorrect " +
    "into invalid is it its keep may missing must never new nil no none not null number object of on optional or provided " +
    "required see set should string that the their this to true type undefined unknown unset use used using value void was " +
    "when which will with without you your | |- > >- boolean bigint symbol str int bytes bool disabled enabled off on ok valid yes " +
    "denied error expected failed failure mismatch operation permission refused rejected"
  ).split(" ")
)

/** A word that configurations and prose put where a secret would stand. */
export const isWord = (text: string): boolean => words.has(text.toLowerCase())

const reference =
  /^(?:\$[A-Za-z_]\w*|\$?\{{1,2}[^{}]*\}{1,2}|\$\([^()]*\)|%\w+%|\*+|\.{3}|(?:process|import|os|env|config|this|self|secrets|vars)\.[\w.[\]]+)$/

const call = /^(?:new|await)$|^[A-Za-z_$][\w$]*(?:\.[\w$]+)*\(/

/** A variable that says of itself that it holds a secret, as in `password === confirmPassword`. */
const isVariable = (text: string): boolean =>
  /^[a-z]+(?:[A-Z][a-z]+){1,4}$/.test(text) && secretName(text) !== undefined

/** Whether what is assigned to a name of a secret is code, a reference, a structure or a word of prose rather than the secret itself. */
export const isReference = (value: string): boolean => {
  const bare = value.replace(/[,;.)}\]]{1,9}$/, "")
  if (/^\[redacted-|^\{|^[[({]+$/.test(value)) return true
  return isWord(bare) || isVariable(bare) || call.test(value) || reference.test(value.replace(/[,;]{1,9}$/, ""))
}

/** Names of the working directory, which `pwd$` would take for passwords. */
export const isPlaceName = (name: string): boolean => /^\$?(?:OLD)?PWD$/.test(name)

/** Whether a variable of the environment is named for a secret. */
export const isSecretVariable = (name: string): boolean => secretName(name) !== undefined && !isPlaceName(name)

const connections =
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|SENTRY)_(?:URL|URI|DSN)$/i

/** How programs call what they take from the environment; data calls too much so. */
const taken = /_(?:AUTH|CONN(?:ECTION)?_?STR(?:ING)?|KEY|PAT|WEBHOOK(?:_URL)?)$/

const openly = /(?:^|_)(?:CACHE|FOREIGN|GPG|PARTITION|PRIMARY|PUBLIC|SORT|UNIQUE)_KEY$/

/** Whether a variable may hold a secret by its name: reason enough for a question, too little to hide its value wherever that stands. */
export const mayHoldSecret = (name: string): boolean =>
  isSecretVariable(name) || connections.test(name) || (taken.test(name) && !openly.test(name))

/** An absolute path and nothing else; a connection string would continue after its password. */
export const isPlace = (value: string): boolean => /^\/[\p{L}\p{N}_.@+~%:()/-]*$/u.test(value)

/** Closing punctuation that belongs to the text around a value. */
export const trailing = (value: string): number => /[,;)}\]]{0,9}$/.exec(value)?.[0].length ?? 0
