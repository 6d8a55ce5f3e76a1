import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly version: string
}
interface Stored {
  readonly manifest: Manifest
  readonly tarball: () => Promise<Buffer>
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
    if (stored)
      return void stored.tarball().then(
        (bytes) => response.end(bytes),
        () => response.writeHead(500).end(),
      )
    const versions = packages.get(path)
    if (!versions)
      return void response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":"not found"}')
    const latest = [...versions.keys()].at(-1)
    const all = [...versions].map(([one, { manifest }]) => [
      one,
      { ...manifest, dist: { tarball: `${url}/-/${path}/${one}.tgz` } },
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
    return { manifest: JSON.parse(stdout) as Manifest, tarball: () => readFile(file) }
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
    return { manifest, tarball: async () => archive(await realpath(folder)) }
  })
}

/**
 * npm takes a package out of whatever folder it is packed in. pnpm links files of one content to
 * each other, and npm leaves out links.
 */
async function archive(folder: string): Promise<Buffer> {
  const { stdout } = await run(
    'tar',
    [
      '-czf',
      '-',
      ...(process.platform === 'linux' ? ['--hard-dereference'] : []),
      '--exclude',
      'node_modules',
      '-C',
      dirname(folder),
      basename(folder),
    ],
    { encoding: 'buffer', maxBuffer: 200_000_000 },
  )
  return stdout
}
