import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, tryAsync } from '@amodal/sdk'
import { tarballIntegrity } from './tarball.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A file whose name is the hash of its bytes, in the cache of npm. */
function fileOf(integrity: string, env: Env): string | undefined {
  const home = env['HOME'] ?? env['USERPROFILE']
  const cache = env['npm_config_cache'] ?? (home === undefined ? undefined : join(home, '.npm'))
  const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  return cache === undefined ? undefined : join(cache, 'amodal-parts', `${digest}.tgz`)
}

/** @returns a tarball that was fetched before, compared with its hash */
export async function cachedTarball(integrity: string, env: Env): Promise<Uint8Array | undefined> {
  const file = fileOf(integrity, env)
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined)
  return bytes && tarballIntegrity(bytes) === integrity ? bytes : undefined
}

/** Stores a tarball. Where that is not possible, it is fetched the next time. */
export async function cacheTarball(integrity: string, bytes: Uint8Array, env: Env): Promise<void> {
  const file = fileOf(integrity, env)
  if (file === undefined) return
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await tryAsync(async () => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(draft, bytes, { flag: 'wx' })
    await rename(draft, file)
  }, messageOf)
  await rm(draft, { force: true })
}
