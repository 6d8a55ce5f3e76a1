import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tryAsync } from '@amodal/sdk'
import type { ParsedDocument } from './parsed-document.ts'

/** Changes with what is kept of a document, so that an older form is read anew. */
const FORM = 5

/** Documents in the short form that is kept beside the agent, so that a long one is parsed once. */
export class DocumentCache {
  readonly #folder: string

  constructor(root: string) {
    this.#folder = join(root, '.amodal', 'cache', 'api-documents')
  }

  /** By the hash of its text. */
  static keyOf(text: string | Uint8Array): string {
    return createHash('sha256').update(`form ${FORM}\n`).update(text).digest('hex').slice(0, 32)
  }

  /** @returns the document and how old it is, in ms */
  async get(
    key: string,
    now: number,
  ): Promise<{ readonly document: ParsedDocument; readonly ageMs: number } | undefined> {
    const file = this.#file(key)
    const read = await tryAsync(
      async () => ({
        document: JSON.parse(await readFile(file, 'utf8')) as ParsedDocument,
        at: (await stat(file)).mtimeMs,
      }),
      () => undefined,
    )
    return read.ok ? { document: read.value.document, ageMs: now - read.value.at } : undefined
  }

  /**
   * Whole or not at all. Where the folder cannot be written, the document is parsed again the next
   * time.
   */
  async put(key: string, document: ParsedDocument): Promise<void> {
    const draft = `${this.#file(key)}.${process.pid}-${Math.random().toString(36).slice(2)}`
    const written = await tryAsync(
      async () => {
        await mkdir(this.#folder, { recursive: true })
        await writeFile(draft, JSON.stringify(document))
        await rename(draft, this.#file(key))
      },
      () => undefined,
    )
    if (!written.ok) await rm(draft, { force: true }).catch(() => undefined)
  }

  #file(key: string): string {
    return join(this.#folder, `${key}.json`)
  }
}
