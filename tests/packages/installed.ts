import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)

/** What people install, as README.md names it, and its gates: what it is, and a part more. */
export const INSTALLS = [
  { title: '`amodal`', packages: ['amodal'], mostMb: 175, mostPackages: 230 },
  {
    title: 'an embedding: `@amodal/presets` and `@amodal/sdk`',
    packages: ['@amodal/presets', '@amodal/sdk'],
    mostMb: 175,
    mostPackages: 230,
  },
] as const

/** How far a figure may be from what README.md says: file systems and platforms differ a little. */
export const NEAR = 0.05

export interface Installed {
  readonly mb: number
  readonly packages: number
}

const Lock = z.object({ packages: z.record(z.string(), z.unknown()) })

/** Installs packages into an empty folder, as npm does it for everybody, and measures that. */
export async function install(
  packages: readonly string[],
  from: {
    readonly registry: string
    readonly cache: string
    readonly env: Readonly<Record<string, string>>
  },
): Promise<Installed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-size-')))
  await using _ = {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const source = ['--registry', from.registry, '--cache', from.cache]
  await run('npm', ['install', ...packages, ...source, '--no-audit', '--no-fund'], {
    cwd: folder,
    env: from.env,
  })
  const modules = join(folder, 'node_modules')
  const lock = Lock.parse(JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')))
  const { stdout } = await run('du', ['-sk', modules])
  return {
    mb: Math.round(Number.parseInt(stdout, 10) / 1_024),
    packages: Object.keys(lock.packages).length,
  }
}

/** The row of this title in README.md: size and packages, and the gates of both. */
export function figuresIn(
  page: string,
  title: string,
): Installed & { readonly mostMb: number; readonly mostPackages: number } {
  const row = page.split('\n').find((line) => line.startsWith(`| ${title} |`)) ?? ''
  const [, mb, packages, mostMb, mostPackages] =
    /\| (\d+) MB \| (\d+) \| (\d+) MB, (\d+) packages \|$/.exec(row) ?? []
  return {
    mb: Number(mb),
    packages: Number(packages),
    mostMb: Number(mostMb),
    mostPackages: Number(mostPackages),
  }
}
