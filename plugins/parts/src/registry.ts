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
import { maxSatisfying, satisfies, valid } from 'semver'
import { z } from 'zod'
import { LIMITS } from './contents.ts'
import { PartsNotFound, PartsTampered } from './errors.ts'
import { registryPlace } from './npm-settings.ts'
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
  const fetched = place.ok
    ? await request(tarball, place.value.authorization(tarball), LIMITS.packed, context)
    : place
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
  const { url, authorization } = place.value
  const address = `${url}${path}`
  const answer = await request(address, authorization(`${url}/`), MOST_LISTED, context)
  if (!answer.ok) return answer
  return tryAsync(
    async () => (await new Response(Buffer.from(answer.value)).json()) as unknown,
    () => 'the registry answers with no JSON',
  )
}

/** Sends a request, once more where the connection or the registry fails. */
async function request(
  address: string,
  authorization: string | undefined,
  mostBytes: number,
  context: RegistryContext,
): Promise<Result<Uint8Array, string>> {
  if (context.offline) return err('it was never fetched before, and --offline is set')
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return err(`${address} is no address`)
  const { EnvHttpProxyAgent, fetch: send } = await import('undici')
  const signal = timeLimit(LIMIT_MS, `asking ${new URL(address).host}`, context.signal)
  const dispatcher = new EnvHttpProxyAgent(proxiesIn(context.env))
  const headers = { accept: '*/*', ...(authorization !== undefined && { authorization }) }
  const attempt = () =>
    tryAsync(async () => {
      const { ok: isThere, status, body } = await send(address, { headers, signal, dispatcher })
      if (isThere) return { status, bytes: await bytesOf(body ?? [], mostBytes) }
      await body?.cancel()
      return { status, bytes: undefined }
    }, textOfError)
  let answer = await attempt()
  if ((!answer.ok || answer.value.status >= 500) && !signal.aborted) answer = await attempt()
  await dispatcher.close()
  if (!answer.ok) return answer
  const { status, bytes } = answer.value
  return bytes ? ok(bytes) : err(`the registry answers ${status}`)
}

function proxiesIn(env: RegistryContext['env']): Readonly<Record<string, string>> {
  const names = { httpProxy: 'HTTP_PROXY', httpsProxy: 'HTTPS_PROXY', noProxy: 'NO_PROXY' }
  const found = Object.entries(names).flatMap(([option, name]) => {
    const value = env[name.toLowerCase()] ?? env[name]
    return value === undefined || value === '' ? [] : [[option, value] as const]
  })
  return Object.fromEntries(found)
}

async function bytesOf(
  body: AsyncIterable<unknown> | Iterable<unknown>,
  mostBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const textOfError = (cause: unknown): string =>
  cause instanceof Error && cause.cause !== undefined
    ? `${cause.message} (${messageOf(cause.cause)})`
    : messageOf(cause)
