import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'

/** An entry of a tar archive; a file where nothing else is said. */
export interface TarEntry {
  readonly path: string
  readonly text?: string
  /** `1` hard link, `2` symbolic link, `3` device, `5` folder. */
  readonly type?: string
  readonly link?: string
}

const BLOCK = 512

/** A tar archive of these entries, as they stand: also such that no archiver would write. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text = '', type = '0', link = '' }) => {
    const body = Buffer.from(text)
    const header = Buffer.alloc(BLOCK)
    header.write(path, 0, 100)
    header.write('0000644\0', 100)
    header.write('0000000\0', 108)
    header.write('0000000\0', 116)
    header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(type, 156)
    header.write(link, 157, 100)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)
    return [header, body, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

export const tgzOf = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(entries))

export type Files = Readonly<Record<string, string | object>>

/** Files of a package of parts, with its package.json. */
export function partsPackage(
  name: string,
  version: string,
  files: Files,
  more: object = {},
): Readonly<Record<string, string>> {
  const manifest = { name, version, license: 'MIT', keywords: ['amodal-parts'], ...more }
  return Object.fromEntries(
    Object.entries({ 'package.json': manifest, ...files }).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
    ]),
  )
}

export const entriesOf = (files: Readonly<Record<string, string>>): readonly TarEntry[] =>
  Object.entries(files).map(([path, text]) => ({ path: `package/${path}`, text }))

const integrityOf = (bytes: Buffer): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`

interface Version {
  readonly manifest: object
  tarball: Buffer
  integrity: string | undefined
}

/** A registry of npm on loopback: packuments and tarballs. */
export class Registry implements AsyncDisposable {
  readonly url: string
  readonly #packages: Map<string, Map<string, Version>>
  /** Paths of all requests. */
  readonly requests: string[]
  /** The `authorization` of all requests. */
  readonly tokens: (string | undefined)[]
  readonly #close: () => Promise<void>

  private constructor(
    url: string,
    packages: Map<string, Map<string, Version>>,
    requests: string[],
    tokens: (string | undefined)[],
    close: () => Promise<void>,
  ) {
    this.url = url
    this.#packages = packages
    this.requests = requests
    this.tokens = tokens
    this.#close = close
  }

  static async start(): Promise<Registry> {
    const packages = new Map<string, Map<string, Version>>()
    const requests: string[] = []
    const tokens: (string | undefined)[] = []
    let url = ''
    const server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '').slice(1)
      requests.push(path)
      tokens.push(request.headers.authorization)
      if (request.method === 'PUT') {
        void publishedIn(request, packages).then((name) => {
          response.writeHead(201, { 'content-type': 'application/json' }).end(`{"id":"${name}"}`)
        })
        return
      }
      if (path.startsWith('-/v1/search')) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(found(path, packages)))
        return
      }
      const [, tarballName = '', tarballVersion = ''] = /^(.+)\/-\/([^/]+)\.tgz$/.exec(path) ?? []
      const tarball = packages.get(tarballName)?.get(tarballVersion)?.tarball
      const answer = tarball ?? packumentOf(path, packages.get(path), url)
      response.writeHead(answer ? 200 : 404, {
        'content-type': tarball ? 'application/octet-stream' : 'application/json',
      })
      response.end(answer ?? '{"error":"not found"}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    return new Registry(url, packages, requests, tokens, async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    })
  }

  /** Publishes a version; `tarball` in place of one of the files. */
  publish(
    name: string,
    version: string,
    files: Files,
    more: object = {},
    tarball?: Buffer,
  ): Version {
    const all = partsPackage(name, version, files, more)
    const bytes = tarball ?? tgzOf(entriesOf(all))
    const published: Version = {
      manifest: JSON.parse(all['package.json'] ?? '{}') as object,
      tarball: bytes,
      integrity: integrityOf(bytes),
    }
    const versions = this.#packages.get(name) ?? new Map<string, Version>()
    versions.set(version, published)
    this.#packages.set(name, versions)
    return published
  }

  /** The line of .npmrc with a token, without which npm publishes nothing. */
  get auth(): string {
    return `//${new URL(this.url).host}/:_authToken=any`
  }

  /** Settings of npm with which a command line uses this registry, with a cache of its own. */
  env(cache: string): Readonly<Record<string, string>> {
    return { npm_config_registry: this.url, npm_config_cache: cache, HOME: cache }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close()
  }
}

const upload = z.object({
  name: z.string(),
  versions: z.record(z.string(), z.looseObject({ version: z.string() })),
  _attachments: z.record(z.string(), z.object({ data: z.string() })),
})

/** Takes what `npm publish` sends. */
async function publishedIn(
  request: AsyncIterable<unknown>,
  packages: Map<string, Map<string, Version>>,
): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  const { name, versions, _attachments } = upload.parse(
    JSON.parse(Buffer.concat(chunks).toString('utf8')),
  )
  const [manifest] = Object.values(versions)
  const [attachment] = Object.values(_attachments)
  const tarball = Buffer.from(attachment?.data ?? '', 'base64')
  const known = packages.get(name) ?? new Map<string, Version>()
  known.set(manifest?.version ?? '', {
    manifest: manifest ?? {},
    tarball,
    integrity: integrityOf(tarball),
  })
  packages.set(name, known)
  return name
}

/** Packages that have all of the keywords and words of a search. */
function found(path: string, packages: ReadonlyMap<string, ReadonlyMap<string, Version>>): object {
  const text = new URL(path, 'http://registry').searchParams.get('text') ?? ''
  const words = text.split(' ').filter((word) => !word.startsWith('keywords:'))
  const objects = [...packages].flatMap(([name, versions]) =>
    words.every((word) => name.includes(word))
      ? [{ package: { name, version: [...versions.keys()].at(-1) } }]
      : [],
  )
  return { objects }
}

function packumentOf(
  name: string,
  versions: ReadonlyMap<string, Version> | undefined,
  url: string,
): string | undefined {
  if (!versions) return undefined
  const entries = [...versions].map(([version, { manifest, integrity }]) => {
    const tarball = `${url}/${name}/-/${version}.tgz`
    return [
      version,
      { ...manifest, dist: { tarball, ...(integrity !== undefined && { integrity }) } },
    ]
  })
  return JSON.stringify({
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(entries) as object,
  })
}
