/**
 * Installs the packages of a peer with npm, at exact versions, into a folder of the user's cache
 * that a later run reads from. Nothing of the repository changes, and no script of a package runs.
 */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { PeerPackages } from './catalog.ts'

export type Installation =
  | { readonly ok: true; readonly folder: string; readonly reused: boolean }
  | { readonly ok: false; readonly problem: string }

export interface InstallOptions {
  /** The folder that holds the installations. Default: that of the user's cache. */
  readonly cache?: string
  /** What npm runs in, with the user's settings of it. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv
}

/** Milliseconds that one installation may take. */
const INSTALL_DEADLINE = 600_000

/** The module that imports packages from the folder it is in; `packages.ts` loads it. */
export const LOADER = 'load.mjs'

/** Never rejects: what goes wrong is the result, so that the other peers are still compared. */
export async function installPackages(
  name: string,
  packages: PeerPackages,
  { cache = userCache(), env = process.env }: InstallOptions = {},
): Promise<Installation> {
  const dependencies = JSON.stringify(packages)
  const key = createHash('sha256').update(dependencies).digest('hex').slice(0, 12)
  const folder = join(cache, `${name}-${key}`)
  if (existsSync(folder)) return { ok: true, folder, reused: true }
  try {
    await mkdir(cache, { recursive: true })
    // The folder has its name only once it is complete: an interrupted install is not reused.
    const partial = await mkdtemp(join(cache, `partial-${name}-`))
    try {
      const manifest = { name: `bench-peer-${name}`, private: true, dependencies: packages }
      await writeFile(join(partial, 'package.json'), JSON.stringify(manifest))
      await writeFile(join(partial, LOADER), 'export const load = (name) => import(name)\n')
      await npmInstall(partial, env)
      await rename(partial, folder)
    } finally {
      await rm(partial, { recursive: true, force: true })
    }
    return { ok: true, folder, reused: false }
  } catch (error) {
    const wanted = Object.entries(packages).map(([at, version]) => `${at}@${version}`)
    return { ok: false, problem: `npm did not install ${wanted.join(', ')}: ${reasonOf(error)}` }
  }
}

async function npmInstall(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-update-notifier']
  await promisify(execFile)('npm', ['install', ...flags], {
    cwd: folder,
    env,
    maxBuffer: 2 ** 24,
    signal: AbortSignal.timeout(INSTALL_DEADLINE),
  })
}

/** The lines of npm that name the package and the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ENOENT') return 'there is no npm on the PATH'
  if (error.name === 'AbortError') return `it took longer than ${INSTALL_DEADLINE / 60_000} minutes`
  const output = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  const lines = output.split('\n').flatMap((line) => {
    const text = /^npm (?:error|ERR!) (.*\S)/.exec(line)?.[1]
    return text === undefined || /complete log|debug-\d+\.log/.test(text) ? [] : [text]
  })
  return lines.length === 0 ? error.message : lines.slice(0, 6).join('; ')
}

/** Where the system keeps what programs can fetch once more. */
function userCache(): string {
  const home = homedir()
  const place =
    process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache')
  const base = process.env['XDG_CACHE_HOME'] ?? (existsSync(home) ? place : tmpdir())
  return join(base, 'amodal-bench', 'peers')
}
