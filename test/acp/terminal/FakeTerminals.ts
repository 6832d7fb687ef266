// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - the terminals of an editor, by real processes
import {
  type CreateTerminalRequest,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse
} from "@agentclientprotocol/sdk"
import { type ChildProcess, spawn } from "node:child_process"

interface Running {
  readonly child: ChildProcess
  readonly exit: Promise<TerminalExitStatus>
  output: Buffer
  truncated: boolean
  readonly limit: number
  status: TerminalExitStatus | undefined
}

export interface TerminalsOptions {
  /** Programs get a terminal, and their words are put together to a line for a shell, as some editors do. */
  readonly pty?: boolean
  /** Variables of the editor. */
  readonly env?: Readonly<Record<string, string>>
  /** Waits before the answer to a request with a program that was started; throws in place of starting it. */
  readonly before?: (request: CreateTerminalRequest) => void | Promise<void>
  /** Waits before the answer to a method, or throws in place of it. */
  readonly answer?: (method: "output" | "wait" | "kill") => void | Promise<void>
  /** Takes no notice of the limit of output. */
  readonly unlimited?: boolean
}

/** The terminals of an editor. */
export class FakeTerminals {
  readonly created: Array<CreateTerminalRequest> = []
  /** What it was asked for, e.g. `create t1`, `kill t1`. */
  readonly asked: Array<string> = []
  private readonly all = new Map<string, Running>()
  private readonly options: TerminalsOptions
  /** Terminals that were released. */
  private readonly released = new Set<string>()
  changed = (): void => {}

  constructor(options: TerminalsOptions = {}) {
    this.options = options
  }

  /** The programs that run still. */
  get living(): number {
    return [...this.all.values()].filter(({ status }) => status === undefined).length
  }

  /** Resolves once all programs have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.all.values()].map(({ exit }) => exit))
  }

  async create(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
    this.created.push(request)
    const id = `t${this.created.length}`
    this.note(`create ${id}`)
    const { args = [], command, cwd, env = [] } = request
    const { before, env: own = {}, pty = false, unlimited = false } = this.options
    await before?.(request)
    const [file, ...words] = pty ? ["script", "-qefc", [command, ...args].join(" "), "/dev/null"] : [command, ...args]
    const child = spawn(file, words, {
      cwd: cwd ?? "/",
      env: { ...process.env, ...own, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const running: Running = {
      child,
      output: Buffer.alloc(0),
      truncated: false,
      limit: unlimited ? Infinity : (request.outputByteLimit ?? Infinity),
      status: undefined,
      exit: new Promise((resolve) => {
        child.once("error", () => resolve({ exitCode: 127 }))
        child.once("close", (exitCode, signal) => resolve({ exitCode, signal }))
      })
    }
    void running.exit.then((status) => {
      running.status = status
      this.changed()
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (bytes: Buffer) => {
        const whole = Buffer.concat([running.output, bytes])
        running.truncated ||= whole.length > running.limit
        running.output = whole.subarray(Math.max(0, whole.length - running.limit))
        this.changed()
      })
    this.all.set(id, running)
    return { terminalId: id }
  }

  async output(terminalId: string): Promise<TerminalOutputResponse> {
    const { output, status, truncated } = this.of(terminalId)
    await this.options.answer?.("output")
    return { output: output.toString("utf8"), truncated, ...(status === undefined ? {} : { exitStatus: status }) }
  }

  async waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    await this.options.answer?.("wait")
    return this.of(terminalId).exit
  }

  async kill(terminalId: string): Promise<void> {
    this.note(`kill ${terminalId}`)
    await this.options.answer?.("kill")
    this.end(this.of(terminalId))
  }

  release(terminalId: string): void {
    this.note(`release ${terminalId}`)
    this.end(this.of(terminalId))
    this.released.add(terminalId)
  }

  private note(asked: string): void {
    this.asked.push(asked)
    this.changed()
  }

  private end({ child, status }: Running): void {
    if (status === undefined && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  }

  private of(terminalId: string): Running {
    const known = this.all.get(terminalId)
    if (known === undefined || this.released.has(terminalId)) throw RequestError.resourceNotFound(terminalId)
    return known
  }

  /** Whether a terminal can be shown. */
  has(terminalId: string): boolean {
    return this.all.has(terminalId) && !this.released.has(terminalId)
  }
}
