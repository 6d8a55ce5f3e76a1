import { createHash } from 'node:crypto'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly version: string
}
interface Stored {
  /** Of those tarballs that are the same each time. */
  readonly integrity?: { readonly integrity: string }
  readonly manifest: Manifest
  readonly send: (to: Writable) => Promise<void>
}

/**
 * A registry on loopback for `npm install` without a network: our packages as they were packed, and
 * all others as they are installed in this workspace.
 *
 * @param packed folder with the tarballs of `npm run pack`
 */
export async function startRegistry(
  packed: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const packages = new Map<string, Map<string, Stored>>()
  const add = (stored: Stored): void => {
    const versions = packages.get(stored.manifest.name) ?? new Map<string, Stored>()
    packages.set(stored.manifest.name, versions.set(stored.manifest.version, stored))
  }
  for (const stored of await Promise.all([...(await ours(packed)), ...(await theirs())]))
    if (stored) add(stored)

  let url = ''
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const [, name = '', version = ''] = /^-\/(.+)\/([^/]+)\.tgz$/.exec(path) ?? []
    const stored = packages.get(name)?.get(version)
    if (stored) return void stored.send(response).catch(() => response.destroy())
    const versions = packages.get(path)
    if (!versions)
      return void response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":"not found"}')
    const latest = [...versions.keys()].at(-1)
    const all = [...versions].map(([one, { manifest, integrity }]) => [
      one,
      { ...manifest, dist: { tarball: `${url}/-/${path}/${one}.tgz`, ...integrity } },
    ])
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        name: path,
        'dist-tags': { latest },
        versions: Object.fromEntries(all) as unknown,
      }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function ours(packed: string): Promise<readonly Promise<Stored>[]> {
  const files = (await readdir(packed))
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => join(packed, file))
  return files.map(async (file) => {
    const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json'])
    const hash = createHash('sha512')
      .update(await readFile(file))
      .digest('base64')
    return {
      manifest: JSON.parse(stdout) as Manifest,
      integrity: { integrity: `sha512-${hash}` },
      send: (to: Writable) => pipeline(createReadStream(file), to),
    }
  })
}

/** The folders in which pnpm keeps packages, each below the name of its version. */
async function theirs(): Promise<readonly Promise<Stored | undefined>[]> {
  const store = join(root, 'node_modules/.pnpm')
  const kept = (await readdir(store))
    .filter((name) => name.includes('@', 1))
    .map((name) =>
      join(store, name, 'node_modules', name.slice(0, name.indexOf('@', 1)).replace('+', '/')),
    )
  return kept.map(async (folder) => {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    const {
      scripts: _,
      devDependencies: __,
      ...manifest
    } = JSON.parse(text) as Manifest & {
      readonly scripts?: unknown
      readonly devDependencies?: unknown
    } // of a package
    return { manifest, send: async (to: Writable) => archive(await realpath(folder), to) }
  })
}

/**
 * npm takes a package out of whatever folder it is packed in, compressed or not. pnpm links files
 * of one content to each other, and npm leaves out links.
 */
async function archive(folder: string, to: Writable): Promise<void> {
  const tar = spawn(
    'tar',
    [
      '-cf',
      '-',
      ...(process.platform === 'linux' ? ['--hard-dereference'] : []),
      '--exclude',
      'node_modules',
      '-C',
      dirname(folder),
      basename(folder),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(tar, 'close')
  await pipeline(tar.stdout, to, { end: false })
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`tar ended with ${code}: ${folder}`)
  to.end()
}
