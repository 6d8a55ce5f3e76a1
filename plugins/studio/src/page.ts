import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
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
}
const squeeze = promisify(gzip)

/** The built page: a handful of files, read once, when the first of them is asked for. */
export class Page {
  readonly #folder: string
  #files: Promise<ReadonlyMap<string, File>> | undefined

  /** @param folder where the build has put it */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param name as it stands in the page, such as `studio-1a2b3c4d.js` */
  async file(name: string): Promise<File | undefined> {
    this.#files ??= readAll(this.#folder)
    try {
      return (await this.#files).get(name)
    } catch (cause) {
      this.#files = undefined // the next one who asks may find it readable
      throw cause
    }
  }
}

async function readAll(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = (await readdir(folder)).filter((name) => TYPES[extname(name)] !== undefined)
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await read(join(folder, name), name)] as const),
    ),
  )
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
