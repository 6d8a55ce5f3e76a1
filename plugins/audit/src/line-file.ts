import { appendFile, open, rename, rm, stat } from 'node:fs/promises'
import {
  err,
  failure,
  type Failure,
  isObject,
  type Json,
  messageOf,
  ok,
  type Result,
  type TenantId,
  tenantId,
  trySync,
  timeLimit,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { AuditLine } from './line.ts'
import type { ChainStore } from './store.ts'

const PAGE = 1_000
const READ_MS = 60_000

/** A line as a file holds it; of one that was erased the hash alone. */
export interface FiledLine {
  readonly tenant: TenantId
  readonly n: number
  readonly body: string
  readonly hash: string
}

export const filed = ({ n, body, hash }: AuditLine, tenant: TenantId): string =>
  body === ''
    ? `${JSON.stringify({ hash, tenant, n, line: null })}\n`
    : `{"hash":"${hash}","line":${body}}\n`

export function readFiled(text: string): FiledLine | undefined {
  const read = trySync(
    () => parseExact(text) as Json,
    () => undefined,
  ) // validated below: the text may have been tampered with
  if (!read.ok || !isObject(read.value)) return undefined
  const { hash, line } = read.value
  const content = line === null ? read.value : line
  const fields = isObject(content) ? content : {}
  const { tenant, n } = fields
  if (typeof hash !== 'string' || typeof tenant !== 'string' || typeof n !== 'number')
    return undefined
  // The text itself is what is hashed, so it is taken as it stands.
  const begin = text.indexOf('"line":') + '"line":'.length
  return { tenant: tenantId(tenant), n, hash, body: line === null ? '' : text.slice(begin, -1) }
}

/**
 * Appends every line to a file as well. The file contains all lines of each chain in order: missing
 * lines are read from the store first.
 */
export class LineFile {
  readonly #file: string
  readonly #store: ChainStore
  readonly #last = new Map<TenantId, number>()
  #opened: boolean

  /**
   * @param resumes whether the chains go on where an earlier process ended, so that the file does
   *   too
   */
  constructor(file: string, store: ChainStore, resumes: boolean) {
    this.#file = file
    this.#store = store
    this.#opened = !resumes
  }

  /** @throws the error of the file system */
  async add(tenant: TenantId, lines: readonly AuditLine[]): Promise<void> {
    await this.#open()
    const first = lines[0]
    if (first) await this.#fill(tenant, first.n - 1)
    const fresh = lines.filter(({ n }) => n > (this.#last.get(tenant) ?? 0))
    await this.#append(tenant, fresh)
  }

  /** Adds the lines that an earlier process did not write before it died. */
  async catchUp(): Promise<void> {
    await this.#open()
    const tenants = orThrow(await this.#store.tenants(timeLimit(READ_MS, 'reading the audit log')))
    for (const tenant of tenants) await this.#fill(tenant, Number.POSITIVE_INFINITY)
  }

  /**
   * Rewrites the lines of chains that an erasure has changed, so that erased text is removed from
   * the file too.
   */
  async erase(tenants: readonly TenantId[]): Promise<Result<void, Failure>> {
    try {
      if (
        tenants.length === 0 ||
        (await stat(this.#file).then(
          () => false,
          () => true,
        ))
      )
        return ok(undefined)
      const draft = `${this.#file}.erasing`
      await rm(draft, { force: true })
      const changed = new Set<string>(tenants)
      for await (const { text } of textLines(this.#file)) {
        if (!changed.has(readFiled(text)?.tenant ?? ''))
          await appendFile(draft, `${text}\n`, { mode: 0o600 })
      }
      for (const tenant of tenants) {
        for (let after = 0; ;) {
          const page = orThrow(
            await this.#store.read(
              tenant,
              { after, limit: PAGE },
              timeLimit(READ_MS, 'reading the audit log'),
            ),
          )
          const last = page.at(-1)
          if (!last) break
          await appendFile(draft, page.map((line) => filed(line, tenant)).join(''), { mode: 0o600 })
          after = last.n
        }
      }
      await rename(draft, this.#file)
      this.#last.clear()
      this.#opened = false
      return ok(undefined)
    } catch (cause) {
      return err(
        failure('UNREADABLE', `lines cannot be erased from ${this.#file}: ${messageOf(cause)}`),
      )
    }
  }

  async #fill(tenant: TenantId, to: number): Promise<void> {
    for (let last = this.#last.get(tenant) ?? 0; last < to;) {
      const page = orThrow(
        await this.#store.read(
          tenant,
          { after: last, limit: Math.min(PAGE, to - last) },
          timeLimit(READ_MS, 'reading the audit log'),
        ),
      )
      if (page.length === 0) return
      await this.#append(tenant, page)
      last = this.#last.get(tenant) ?? to
    }
  }

  async #append(tenant: TenantId, lines: readonly AuditLine[]): Promise<void> {
    const last = lines.at(-1)
    if (!last) return
    await appendFile(this.#file, lines.map((line) => filed(line, tenant)).join(''), { mode: 0o600 })
    this.#last.set(tenant, last.n)
  }

  async #open(): Promise<void> {
    if (this.#opened) return
    for await (const { text, whole } of textLines(this.#file)) {
      const line = readFiled(text)
      if (line) this.#last.set(line.tenant, Math.max(line.n, this.#last.get(line.tenant) ?? 0))
      // What was cut in the middle stays for `verify` to show; the next line begins on its own.
      if (!whole) await appendFile(this.#file, '\n')
    }
    this.#opened = true
  }
}

/** The lines of a file; nothing where there is none. `whole` is false for one that does not end. */
export async function* textLines(
  file: string,
): AsyncGenerator<{ readonly text: string; readonly whole: boolean }> {
  const size = await stat(file).then(
    (one) => one.size,
    () => 0,
  )
  if (size === 0) return
  const handle = await open(file, 'r')
  try {
    const last = Buffer.alloc(1)
    await handle.read(last, 0, 1, size - 1)
    const ends = last.toString() === '\n'
    let held: string | undefined
    for await (const text of handle.readLines({ start: 0, end: size - 1, autoClose: false })) {
      if (held !== undefined) yield { text: held, whole: true }
      held = text
    }
    if (held !== undefined) yield { text: held, whole: ends }
  } finally {
    await handle.close()
  }
}

function orThrow<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(messageOf(result.error))
}
