import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isObject, type JsonObject } from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import type { Deployment } from './deployment.ts'

/** Characters of a name, with room for `-migrate` in a DNS label. */
const MAX_NAME = 50

/** ms that a server takes to stop, besides those of the settings, and their defaults. */
const MARGIN_MS = 10_000
const DRAIN_MS = 10_000
const STORE_MS = 10_000

/**
 * The name of an agent as services and objects have it, and how long its servers take to stop, from
 * `runtime` of amodal.json.
 *
 * @param dir absolute path of the agent folder
 */
export async function agentFacts(dir: string): Promise<Pick<Deployment, 'name' | 'graceSeconds'>> {
  const manifest = await readManifest(join(dir, 'amodal.json'))
  const { name, runtime } = manifest
  const settings = isObject(runtime) ? runtime : {}
  const drainMs = numberOr(settings['drainMs'], DRAIN_MS)
  const storeMs = numberOr(settings['storeMs'], STORE_MS)
  return {
    name: labelOf(typeof name === 'string' ? name : basename(dir)),
    graceSeconds: Math.ceil((drainMs + storeMs + MARGIN_MS) / 1_000),
  }
}

/** What cannot be read is the business of `amodal validate`. */
async function readManifest(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const parsed = parseJson(text)
  return parsed.ok && isObject(parsed.value.value) ? parsed.value.value : {}
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise

/** A DNS label (RFC 1123). */
export function labelOf(name: string): string {
  const label = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^[^a-z]+|-+$/g, '')
  return label === '' ? 'agent' : label
}
