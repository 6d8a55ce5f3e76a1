import { appendFile } from 'node:fs/promises'
import { type Clock, type Logger, messageOf, type TenantId, trySync } from '@amodal/sdk'
import type { Checkpoints } from './checkpoints.ts'
import type { AuditLine } from './line.ts'

/** Told of a line once it is kept: its text, as JSON, and the hash that seals it. */
export type TakeLine = (line: { readonly body: string; readonly hash: string }) => void

interface Sinks { readonly file?: string | undefined; readonly log: boolean; readonly onLine?: TakeLine | undefined }

/** Copies of the chain for other eyes. The chain does not wait for them. */
export function sinkOf({ file, log: tell, onLine }: Sinks, log: Logger): (tenant: TenantId, lines: readonly AuditLine[]) => void {
  let writing = Promise.resolve()
  return (_tenant, lines) => {
    for (const { body, hash } of lines) {
      if (tell) log.info('audit.line', { line: body, hash })
      const heard = trySync(() => onLine?.({ body, hash }), messageOf)
      if (!heard.ok) log.warn('audit.listener_failed', { message: heard.error })
    }
    if (file === undefined || lines.length === 0) return
    const text = lines.map(({ body, hash }) => `{"hash":"${hash}","line":${body}}\n`).join('')
    writing = writing.then(() => appendFile(file, text, { mode: 0o600 })).catch((cause: unknown) => log.error('audit.file_failed', { file, message: messageOf(cause) }))
  }
}

/** Decides when a place of a chain is signed. */
export class Signing {
  readonly #checkpoints: Checkpoints
  readonly #every: number
  readonly #clock: Clock
  readonly #log: Logger
  readonly #timer: ReturnType<typeof setInterval>
  readonly #unsigned = new Map<TenantId, { readonly last: AuditLine; readonly count: number }>()

  constructor(checkpoints: Checkpoints, { lines, minutes }: { readonly lines: number; readonly minutes: number }, clock: Clock, log: Logger) {
    this.#checkpoints = checkpoints
    this.#every = lines
    this.#clock = clock
    this.#log = log
    this.#timer = setInterval(() => { this.#signAll() }, minutes * 60_000)
    this.#timer.unref()
  }

  count(tenant: TenantId, lines: readonly AuditLine[]): void {
    const last = lines.at(-1)
    if (!last) return
    const count = (this.#unsigned.get(tenant)?.count ?? 0) + lines.length
    this.#unsigned.set(tenant, { last, count })
    if (count >= this.#every) this.#sign(tenant)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#signAll()
  }

  #signAll(): void {
    for (const tenant of [...this.#unsigned.keys()]) this.#sign(tenant)
  }

  #sign(tenant: TenantId): void {
    const one = this.#unsigned.get(tenant)
    if (!one) return
    try {
      this.#checkpoints.sign(tenant, one.last, this.#clock.now())
      this.#unsigned.delete(tenant)
    } catch (cause) {
      this.#log.error('audit.checkpoint_failed', { tenant, message: messageOf(cause) })
    }
  }
}
