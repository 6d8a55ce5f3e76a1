import { messageOf, type Logger } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Transport } from '../protocol.ts'
import type { McpLines } from '../tokens.ts'

type Message = Parameters<Transport['send']>[0]

/** One message of the protocol per line, as over stdio. */
export class LinesTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  /** Resolves once the input has ended, or the transport was closed. */
  readonly closed: Promise<void>
  readonly #lines: McpLines
  readonly #log: Logger
  #isClosed = false
  #close: () => void = () => undefined

  constructor(lines: McpLines, log: Logger) {
    this.#lines = lines
    this.#log = log
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  start(): Promise<void> {
    void this.#read()
    return Promise.resolve()
  }

  send(message: Message): Promise<void> {
    if (!this.#isClosed) this.#lines.write(`${JSON.stringify(message)}\n`)
    return Promise.resolve()
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.onclose?.()
      this.#close()
    }
    return Promise.resolve()
  }

  async #read(): Promise<void> {
    try {
      for await (const line of this.#lines.input) {
        if (this.#isClosed) return
        if (line.trim() !== '') this.#take(line)
      }
    } catch (cause) {
      this.#log.debug('mcp.input_failed', { error: cause })
    }
    await this.close()
  }

  #take(line: string): void {
    try {
      this.onmessage?.(parseExact(line) as Message) // the library checks what it is
    } catch (cause) {
      this.#lines.write(`${JSON.stringify(PARSE_ERROR)}\n`)
      this.onerror?.(new Error(`this line is no message: ${messageOf(cause)}`, { cause }))
    }
  }
}

const PARSE_ERROR = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } }
