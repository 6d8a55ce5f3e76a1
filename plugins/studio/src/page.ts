import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A file of the page, as it is and made smaller. */
export interface File {
  readonly type: string
  readonly etag: string
  /** Its name says what is in it: another content has another name. */
  readonly hashed: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
const squeeze = promisify(gzip)

/** The built page: each of its files is read once, when it is asked for. */
export class Page {
  readonly #folder: string
  readonly #files = new Map<string, Promise<File | undefined>>()

  /** @param folder where the build has put it */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param name as it stands in the page, such as `studio-1a2b3c4d.js` */
  async file(name: string): Promise<File | undefined> {
    // it is a name, so that nothing beside the folder is reached
    if (basename(name) !== name || TYPES[extname(name)] === undefined) return undefined
    const file = this.#files.get(name) ?? this.#read(name)
    this.#files.set(name, file)
    try {
      const found = await file
      if (!found) this.#files.delete(name)
      return found
    } catch (cause) {
      this.#files.delete(name) // the next one who asks may find it readable
      throw cause
    }
  }

  async #read(name: string): Promise<File | undefined> {
    const path = join(this.#folder, name)
    return existsSync(path) ? read(path, name) : undefined
  }
}

async function read(path: string, name: string): Promise<File> {
  const bytes = new Uint8Array(await readFile(path))
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    hashed: /-[\w-]{8}\.\w+$/.test(name),
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    bytes,
    gzip: new Uint8Array(await squeeze(bytes, { level: 9 })),
  }
}
