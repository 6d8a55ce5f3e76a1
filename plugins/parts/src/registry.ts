import { err, ok, trySync, type Failure, type Json, type Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { LIMITS } from './contents.ts'
import { PartsNotFound, PartsTampered } from './errors.ts'
import { semver } from './libraries.ts'
import { registryPlace, type RegistryPlace } from './npm-settings.ts'
import type { RegistryContext } from './registry-context.ts'
import { tarballIntegrity } from './tarball.ts'
import { cachedTarball, cacheTarball } from './tarball-cache.ts'

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
/** Bytes of the list of all versions of a package. */
const MOST_LISTED = 64 * 1024 * 1024

/**
 * Asks the registry for the versions of a package. No code and no script of it runs.
 *
 * @returns `PARTS_NOT_FOUND` where there is none, or no answer within a minute
 */
export async function publicationsOf(
  name: string,
  context: RegistryContext,
): Promise<Result<Publications, Failure>> {
  const path = `/${name.replace('/', '%2f')}`
  const answer = await registryJson(name, path, context)
  if (!answer.ok) return err(PartsNotFound(`${name} cannot be fetched: ${answer.error}`))
  const read = packument.safeParse(answer.value)
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
    (version) =>
      semver().valid(version) && exact.every((range) => semver().satisfies(version, range)),
  )
  const latest = tags['latest']
  const chosen =
    latest !== undefined && fitting.includes(latest)
      ? latest
      : semver().maxSatisfying(fitting, '*', { includePrerelease: true })
  return chosen === null || chosen === undefined ? undefined : versions.get(chosen)
}

/**
 * Fetches a tarball and compares it with its integrity. One that was fetched before is not fetched
 * anew.
 *
 * @returns the bytes; `PARTS_TAMPERED` where they are others, `PARTS_NOT_FOUND` where there is none
 */
export async function fetchTarball(
  {
    name,
    version,
    tarball,
  }: { readonly name: string; readonly version: string; readonly tarball: string },
  integrity: string,
  context: RegistryContext,
): Promise<Result<Uint8Array, Failure>> {
  const what = `${name}@${version}`
  const cached = await cachedTarball(integrity, context.env)
  if (cached) return ok(cached)
  const place = await registryPlace(name, context)
  const fetched = place.ok ? await request(tarball, place.value, LIMITS.packed, context) : place
  if (!fetched.ok) return err(PartsNotFound(`${what} cannot be fetched: ${fetched.error}`))
  const own = tarballIntegrity(fetched.value)
  if (own !== integrity)
    return err(
      PartsTampered(
        `the tarball of ${what} is not the one that was published: it has ${own}, and ${integrity} is wanted`,
      ),
    )
  await cacheTarball(integrity, fetched.value, context.env)
  return fetched
}

/**
 * Asks the registry of a package for JSON.
 *
 * @param path below the address of the registry
 */
export async function registryJson(
  name: string,
  path: string,
  context: RegistryContext,
): Promise<Result<unknown, string>> {
  const place = await registryPlace(name, context)
  if (!place.ok) return place
  const address = `${place.value.url}${path}`
  const answer = await request(address, place.value, MOST_LISTED, context)
  if (!answer.ok) return answer
  return trySync(
    (): unknown => JSON.parse(Buffer.from(answer.value).toString('utf8')),
    () => 'the registry answers with no JSON',
  )
}

/**
 * Sends a request, once more where the registry fails. A tarball may only lie on a private address
 * where the settings name one as the registry.
 */
async function request(
  address: string,
  { url, authorization }: RegistryPlace,
  maxBytes: number,
  { offline, outbound, signal }: RegistryContext,
): Promise<Result<Uint8Array, string>> {
  if (offline) return err('it was never fetched before, and --offline is set')
  const credential = authorization(address)
  const send = () =>
    outbound.request({
      url: address,
      method: 'GET',
      headers: {
        accept: '*/*',
        ...(credential !== undefined && { authorization: credential }),
      },
      timeoutMs: LIMIT_MS,
      maxBytes,
      privateOrigin: new URL(url).origin,
      lease: undefined,
      signal,
    })
  let answer = await send()
  if ((!answer.ok || answer.value.status >= 500) && !signal.aborted) answer = await send()
  if (!answer.ok) return err(answer.error.message)
  const { status, body } = answer.value
  return status >= 200 && status < 300 ? ok(body) : err(`the registry answers ${status}`)
}
