import type { Logger } from '@amodal/sdk'

/** A message that a server has sent to be logged. */
export interface LoggedMessage {
  readonly at: string
  readonly level: string
  readonly logger?: string
  readonly message: string
}

type Severity = 'debug' | 'info' | 'warn' | 'error'
/** The levels of the protocol, which are those of syslog, and ours. */
const LEVELS: Readonly<Record<string, Severity>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}
/** Lines of a child's standard error that say why it ended. */
export const LAST_WORDS = 5
/** Newest lines and messages that are kept for `/inspect`. */
const KEPT_LINES = 20
const KEPT_MESSAGES = 50
/** Messages of one second that are logged; the rest is counted. */
const MOST_A_SECOND = 20

/**
 * The output of a server apart from its responses: the lines of a child's standard error, and log
 * messages.
 */
export class ServerLog {
  readonly #server: string
  readonly #log: Logger
  /** Takes secrets and control characters out. */
  readonly #clean: (text: string) => string
  #lines: readonly string[] = []
  #messages: readonly LoggedMessage[] = []
  #second = 0
  #count = 0

  constructor(server: string, log: Logger, cleaned: (text: string) => string) {
    this.#server = server
    this.#log = log
    this.#clean = cleaned
  }

  get lines(): readonly string[] {
    return this.#lines
  }
  get messages(): readonly LoggedMessage[] {
    return this.#messages
  }

  /** A new process begins. */
  begin(): void {
    this.#lines = []
  }

  line(text: string): void {
    const line = this.#clean(text)
    this.#lines = [...this.#lines.slice(1 - KEPT_LINES), line]
    this.#log.debug('mcp.stderr', { server: this.#server, line })
  }

  message(level: string, data: unknown, logger: string | undefined): void {
    const message = this.#clean(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''))
    const from = logger === undefined ? {} : { logger: this.#clean(logger) }
    this.#messages = [
      ...this.#messages.slice(1 - KEPT_MESSAGES),
      { at: new Date().toISOString(), level: this.#clean(level), ...from, message },
    ]
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) {
      if (this.#count > MOST_A_SECOND)
        this.#log.warn('mcp.message', {
          server: this.#server,
          message: `${this.#count - MOST_A_SECOND} more messages of one second are left out`,
        })
      this.#second = second
      this.#count = 0
    }
    if (++this.#count <= MOST_A_SECOND)
      this.#log[LEVELS[level] ?? 'info']('mcp.message', { server: this.#server, ...from, message })
  }
}
