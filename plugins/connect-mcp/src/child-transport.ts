import {
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { messageOf, type Json } from '@amodal/sdk'
import { parseExact, textStart } from '@amodal/sdk/data'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { withPlainSchemas } from './listed-schemas.ts'
import { LapsedError } from './call-errors.ts'
import { isDoneWithin } from './is-done-within.ts'
import { linesOf } from './lines-of.ts'
import type { Reaper } from './reaper.ts'
import type { MessageReader } from './responses/message-reader.ts'
import { TooLargeError } from './too-large-error.ts'

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  /** All that the child gets of any environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** Bytes of one message. */
  readonly maxBytes: number
  /** ms from the end of its input to `SIGTERM`, and from there to `SIGKILL`. */
  readonly graceMs: number
  readonly reaper: Reaper
  readonly reader: MessageReader
  /** Whether a call may still be made: asked in the tick that writes it. */
  readonly mayCall: () => boolean
  /** A line of its standard error. */
  readonly onLine: (line: string) => void
}

/** After its end: what is still in the pipes of a child is read for this long, ms. */
const REST_MS = 200
const NEWLINE = 0x0a
/** Groups of processes can be signalled as one. */
const GROUPS = process.platform !== 'win32'

/**
 * An MCP server as a child process: one message a line. The child leads a process group of its own,
 * so that what it starts, such as the server behind `npx`, ends with it. Lines that are no message
 * are skipped.
 */
export class ChildTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** With `pid`, what the client knows a local pipe by. */
  readonly stderr = null
  readonly #options: ChildOptions
  #child: ChildProcess | undefined
  #unwatch: () => void = () => undefined
  #chunks: Buffer[] = []
  #held = 0
  #closed = false

  constructor(options: ChildOptions) {
    this.#options = options
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, reaper, onLine } = this.#options
    const child = spawn(command, [...args], {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: GROUPS,
      windowsHide: true,
    })
    this.#child = child
    child.on('error', (error) => this.onerror?.(error))
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stdout
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('error', (error) => this.onerror?.(error))
    child.stderr.on('data', linesOf(onLine)).on('error', () => undefined)
    child.on('exit', () => void this.#ended(child))
    await once(child, 'spawn')
    if (child.pid !== undefined && GROUPS) this.#unwatch = reaper.watch(child.pid)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin
    if (!input || this.#closed || input.destroyed) throw new UnsentError()
    if ('method' in message && message.method === 'tools/call' && !this.#options.mayCall())
      throw new LapsedError()
    this.#options.reader.sent(message)
    await new Promise<void>((resolve, reject) => {
      input.write(serializeMessage(message), (error) => {
        if (error) reject(new UnsentError())
        else resolve()
      })
    })
  }

  /** Ends its input, then sends `SIGTERM`, then `SIGKILL`. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child || this.#closed) return
    const { graceMs } = this.#options
    const gone = ended(child)
    child.stdin?.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await isDoneWithin(graceMs, gone)) break
      kill(child, signal)
    }
    await isDoneWithin(graceMs, gone)
    this.#finish(child)
  }

  /**
   * Ended by itself, or by somebody else: what it had said is read, then whatever it leaves behind
   * ends too.
   */
  async #ended(child: ChildProcess): Promise<void> {
    if (child.stdout?.readableEnded === false) await isDoneWithin(REST_MS, once(child, 'close'))
    this.#finish(child)
  }

  #finish(child: ChildProcess): void {
    if (this.#closed) return
    this.#closed = true
    kill(child, 'SIGKILL')
    this.#unwatch()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    this.#chunks = []
    this.onclose?.()
  }

  #read(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]).toString('utf8')
      this.#chunks = []
      this.#held = 0
      rest = rest.subarray(end + 1)
      this.#receive(line)
    }
    this.#held += rest.length
    if (rest.length > 0) this.#chunks.push(rest)
    if (this.#held <= this.#options.maxBytes) return
    this.onerror?.(new TooLargeError(this.#options.maxBytes))
    if (this.#child) this.#finish(this.#child)
  }

  #receive(line: string): void {
    if (this.#closed || line.trim() === '') return
    let message: JSONRPCMessage
    try {
      const received = withPlainSchemas(parseExact(line)) as Json // it was JSON text
      message = parseJSONRPCMessage(this.#options.reader.received(received))
    } catch (cause) {
      this.onerror?.(
        new Error(`a line of its output is no message: ${textStart(messageOf(cause), 200)}`),
      )
      return
    }
    this.onmessage?.(message)
  }
}

/** A message that was not written completely was not received. */
class UnsentError extends Error {
  constructor() {
    super('the server does not run any more', { cause: { details: { sent: false } } })
  }
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : once(child, 'exit')

/** Signals the whole group of a child, also where its leader has ended already. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (GROUPS) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // the group has no process left
  }
}
