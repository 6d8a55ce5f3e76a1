import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  err,
  messageOf,
  ok,
  timeLimit,
  tryAsync,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import type { Options } from 'pacote'
import { maxSatisfying, satisfies, valid } from 'semver'
import { z } from 'zod'
import { LIMITS } from './contents.ts'
import { PartsNotFound, PartsTampered } from './errors.ts'

/** What a registry is packages with. */
export interface RegistryContext {
  /** The agent folder, whose .npmrc counts. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Nothing is fetched: only what the cache of npm has. */
  readonly offline: boolean
}

const packument = z.looseObject({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).default({}),
  versions: z.record(
    z.string(),
    z.looseObject({
      dist: z.looseObject({ tarball: z.string(), integrity: z.string().exactOptional() }),
    }),
  ),
})

/** A version that a registry has. */
export interface Published {
  readonly version: string
  readonly tarball: string
  /** `sha512-…`; left out where the registry has none. */
  readonly integrity?: string
  /** Its package.json, as the registry has it. */
  readonly manifest: Json
}

/** All versions of a package. */
export interface Publications {
  readonly versions: ReadonlyMap<string, Published>
  readonly tags: Readonly<Record<string, string>>
}

const LIMIT_MS = 60_000

/**
 * Asks the registry for the versions of a package. No code and no script of it runs.
 *
 * @returns `PARTS_NOT_FOUND` where there is none, or no answer within a minute
 */
export async function publicationsOf(
  name: string,
  context: RegistryContext,
): Promise<Result<Publications, Failure>> {
  const packages = await requestRegistry(
    `asking the registry for ${name}`,
    context,
    async (options) => {
      const { packument: fetchPackument } = await import('pacote')
      return fetchPackument(name, { ...options, fullMetadata: true })
    },
  )
  if (!packages.ok) return err(PartsNotFound(`${name} cannot be fetched: ${packages.error}`))
  const read = packument.safeParse(packages.value)
  if (!read.success) return err(PartsNotFound(`the registry answers for ${name} with no package`))
  const versions = Object.entries(read.data.versions).map(([version, entry]) => {
    const { tarball, integrity } = entry.dist
    const strong = integrity?.split(/\s+/).find((one) => one.startsWith('sha512-'))
    const manifest = jsonValue.safeParse(entry)
    const published: Published = {
      version,
      tarball,
      manifest: manifest.success ? manifest.data : {},
      ...(strong !== undefined && { integrity: strong }),
    }
    return [version, published] as const
  })
  return ok({ versions: new Map(versions), tags: read.data['dist-tags'] })
}

/**
 * Chooses the version that all ranges allow: the one that is tagged as the latest where it is among
 * them, else the newest.
 */
export function chooseVersion(
  { versions, tags }: Publications,
  ranges: readonly string[],
): Published | undefined {
  const exact = ranges.map((range) => tags[range] ?? range)
  const fitting = [...versions.keys()].filter(
    (version) => valid(version) && exact.every((range) => satisfies(version, range)),
  )
  const latest = tags['latest']
  const chosen =
    latest !== undefined && fitting.includes(latest)
      ? latest
      : maxSatisfying(fitting, '*', { includePrerelease: true })
  return chosen === null || chosen === undefined ? undefined : versions.get(chosen)
}

/**
 * Fetches a tarball and compares it with its integrity.
 *
 * @returns the bytes; `PARTS_TAMPERED` where they are others, `PARTS_NOT_FOUND` where there is none
 */
export async function fetchTarball(
  spec: { readonly name: string; readonly version: string; readonly tarball: string },
  integrity: string,
  context: RegistryContext,
): Promise<Result<Uint8Array, Failure>> {
  const what = `${spec.name}@${spec.version}`
  const fetched = await requestRegistry(`fetching ${what}`, context, async (options) => {
    const { tarball } = await import('pacote')
    return tarball.stream(what, collect, { ...options, integrity, resolved: spec.tarball })
  })
  if (fetched.ok) return ok(fetched.value)
  return err(
    /EINTEGRITY|integrity/i.test(fetched.error)
      ? PartsTampered(`the tarball of ${what} is not the one that was published: ${fetched.error}`)
      : PartsNotFound(`${what} cannot be fetched: ${fetched.error}`),
  )
}

async function collect(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue
    bytes += chunk.byteLength
    if (bytes > LIMITS.packed) throw new Error(`the tarball has more than ${LIMITS.packed} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Ends with the deadline or the signal, also where the library goes on. */
export async function requestRegistry<T>(
  what: string,
  context: RegistryContext,
  send: (options: Options) => Promise<T>,
): Promise<Result<T, string>> {
  const signal = timeLimit(LIMIT_MS, what, context.signal)
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => stopped.reject(signal.reason)
  stopped.promise.catch(() => undefined)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await tryAsync(
      async () => Promise.race([send(await npmOptions(context)), stopped.promise]),
      textOfError,
    )
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const textOfError = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? `${cause.code} ${cause.message}`
    : messageOf(cause)

/** The settings of npm that count: those of the user, of the agent folder, of the environment. */
async function npmOptions({ root, env, offline }: RegistryContext): Promise<Options> {
  const home = env['HOME'] ?? env['USERPROFILE']
  const settings: Record<string, string> = {
    ...(home !== undefined && (await settingsIn(join(home, '.npmrc'), env))),
    ...(await settingsIn(join(root, '.npmrc'), env)),
  }
  const registry = env['npm_config_registry'] ?? settings['registry']
  const cache = env['npm_config_cache'] ?? settings['cache'] ?? join(home ?? tmpdir(), '.npm')
  return {
    ...settings,
    ...(registry !== undefined && { registry }),
    cache: join(cache, '_cacache'),
    ignoreScripts: true,
    offline,
    preferOnline: !offline,
    fetchRetries: 1,
    fetchRetryFactor: 2,
    fetchRetryMintimeout: 500,
    fetchRetryMaxtimeout: 5_000,
    timeout: LIMIT_MS,
  }
}

async function settingsIn(
  file: string,
  env: RegistryContext['env'],
): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, key, value = ''] = /^\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key === undefined) return []
    return [[key, value.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')] as const]
  })
  return Object.fromEntries(pairs)
}
