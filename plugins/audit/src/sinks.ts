import { type Logger, messageOf, type TenantId, trySync } from '@amodal/sdk'
import type { AuditLine } from './line.ts'
import type { LineFile } from './line-file.ts'

/** Called with each line once it is committed: its text, as JSON, and the hash that seals it. */
export type LineListener = (line: { readonly body: string; readonly hash: string }) => void

interface Sinks {
  readonly file: LineFile | undefined
  readonly log: boolean
  readonly onLine?: LineListener | undefined
}

/** Copies of the chain: a file, the log, a listener. The chain does not wait for them. */
export class LineSinks {
  readonly #sinks: Sinks
  readonly #log: Logger
  #writing = Promise.resolve()

  constructor(sinks: Sinks, log: Logger) {
    this.#sinks = sinks
    this.#log = log
  }

  take(tenant: TenantId, lines: readonly AuditLine[]): void {
    const { file, log, onLine } = this.#sinks
    for (const { body, hash } of lines) {
      if (log) this.#log.info('audit.line', { line: body, hash })
      const emitted = trySync(() => onLine?.({ body, hash }), messageOf)
      if (!emitted.ok) this.#log.warn('audit.listener_failed', { message: emitted.error })
    }
    if (file && lines.length > 0) this.#write(() => file.add(tenant, lines))
  }

  /** Writes lines that an earlier process did not write before it ended. */
  catchUp(): void {
    const { file } = this.#sinks
    if (file) this.#write(() => file.catchUp())
  }

  /** Resolves once every accepted line is written. */
  flush(): Promise<void> {
    return this.#writing
  }

  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(work)
      .catch((cause: unknown) =>
        this.#log.error('audit.file_failed', { message: messageOf(cause) }),
      )
  }
}
