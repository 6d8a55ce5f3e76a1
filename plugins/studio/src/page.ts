import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { staticFile, type StaticFile } from '@amodal/plugin-http/tokens'

/**
 * Scripts, styles and requests of this server alone; nothing inline, nothing framed, no form that
 * leaves.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // blob: of files that were fetched with the credentials of the person
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // Pages of the agent, in a frame that is sandboxed; it leads nowhere else, so it carries no data
  // away.
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** The built page: each of its files is read once, when it is asked for. */
export class Page {
  readonly #folder: string
  readonly #files = new Map<string, Promise<StaticFile | undefined>>()

  /** @param folder where the build has put it */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param name as it stands in the page, such as `studio-1a2b3c4d.js` */
  async file(name: string): Promise<StaticFile | undefined> {
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

  async #read(name: string): Promise<StaticFile | undefined> {
    const path = join(this.#folder, name)
    return existsSync(path) ? read(path, name) : undefined
  }
}

/**
 * Files named after their content are kept for good; the page, which names them, is asked for each
 * time.
 */
async function read(path: string, name: string): Promise<StaticFile> {
  const isHashed = /-[\w-]{8}\.\w+$/.test(name)
  return staticFile(new Uint8Array(await readFile(path)), {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
}
