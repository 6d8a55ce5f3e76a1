import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  type CommandContext,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { z } from 'zod'
import { packageIn, type PackageFolder } from './installed.ts'
import { npm } from './npm.ts'
import { publication } from './publication.ts'

/** A package that npm fetched into a temporary folder from which no code is loaded. */
export interface Staged {
  readonly name: string
  readonly found: PackageFolder
  /** Of the tarball. */
  readonly integrity: string | undefined
  readonly from: string | undefined
  /** Who has published it, and when; none for a file. */
  readonly published: string | undefined
  /** Its dependencies. */
  readonly brings: readonly string[]
  /** Dependencies with an install script; none is run. */
  readonly scripted: readonly string[]
  discard(): Promise<void>
}

const Placed = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
})
const Wanted = z.looseObject({ dependencies: z.record(z.string(), z.string()) })
const BELOW = 'node_modules/'

/**
 * Fetches a package without running any script of it or of its dependencies.
 *
 * @param spec a name with or without a version, or the path of a tarball
 */
export async function stage(
  spec: string,
  context: CommandContext,
): Promise<Result<Staged, Failure>> {
  const folder = await mkdtemp(join(tmpdir(), 'amodal-staged-'))
  const discard = (): Promise<void> => rm(folder, { recursive: true, force: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  // the agent's own registry and credentials, if it has any
  await copyFile(join(context.dir, '.npmrc'), join(folder, '.npmrc')).catch(() => undefined)
  const flags = [
    '--save-exact',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
  ]
  const done = await npm(['install', ...flags, '--', spec], { ...context, dir: folder })
  const staged = done.ok ? await stagedIn(folder, discard, context) : done
  if (!staged.ok) await discard()
  return staged
}

async function stagedIn(
  folder: string,
  discard: Staged['discard'],
  context: CommandContext,
): Promise<Result<Staged, Failure>> {
  const read = await tryAsync(
    async () => ({
      wanted: Wanted.parse(await json(join(folder, 'package.json'))).dependencies,
      packages: Placed.parse(await json(join(folder, 'node_modules/.package-lock.json'))).packages,
    }),
    messageOf,
  )
  const name = read.ok ? Object.keys(read.value.wanted)[0] : undefined
  const found = name === undefined ? undefined : await packageIn(join(folder, 'node_modules', name))
  if (!read.ok || name === undefined || !found)
    return err(failure('PLUGIN_NOT_FOUND', 'npm has fetched nothing that can be read'))
  const { packages } = read.value
  const others = Object.keys(packages).filter((path) => path !== `${BELOW}${name}`)
  const named = (path: string): string => path.slice(path.lastIndexOf(BELOW) + BELOW.length)
  const { integrity, resolved: from } = packages[`${BELOW}${name}`] ?? {}
  const isPublished = from?.startsWith('http') === true
  return ok({
    name,
    found,
    integrity,
    from,
    published: isPublished ? await publication(name, found.manifest.version, context) : undefined,
    brings: others.map(named),
    scripted: others.filter((path) => packages[path]?.hasInstallScript === true).map(named),
    discard,
  })
}

const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'))
