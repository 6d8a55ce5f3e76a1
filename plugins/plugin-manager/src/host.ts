import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, tryAsync, type Inspector, type Plugin } from '@amodal/sdk'
import { manifestPath, protocolsOf, type Protocols } from '@amodal/sdk/packages'
import { z } from 'zod'

/** A plugin of the agent's plan. */
export interface ListedPlugin {
  readonly name: string
  readonly plugin: Plugin
  /** The package that it comes from. */
  readonly source: string | undefined
  /** As amodal.json has it. */
  readonly config: unknown
}

/** The plugins that this command line was set up with: those of the agent, where they fit. */
export const listedIn = (inspector: Inspector): readonly ListedPlugin[] =>
  inspector.facts().generation.plan.plugins.map(({ name, plugin, options, raw }) => ({
    name,
    plugin,
    source: options.source,
    config: raw,
  }))

/** The protocol version that is provided for each slot, without the plugins of one package. */
export const protocolsWithout = (listed: readonly ListedPlugin[], besides: string): Protocols =>
  protocolsOf(
    listed
      .filter(({ source }) => source !== besides)
      .map(({ name, plugin }) => [name, plugin] as const),
  )

const Version = z.looseObject({ version: z.string() })

/** Resolves a package as an import in a file would. */
export interface Resolved {
  /** Without links. */
  readonly folder: string
  readonly version: string
}

/** @param from an absolute path of a file, or a URL */
export async function resolved(name: string, from: string): Promise<Resolved | undefined> {
  const path = manifestPath(name, from.startsWith('file:') ? fileURLToPath(from) : from)
  if (path === undefined) return undefined
  const read = await tryAsync(async (): Promise<Resolved | undefined> => {
    const result = Version.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (!result.success) return undefined
    return { folder: await realpath(dirname(path)), version: result.data.version }
  }, messageOf)
  return read.ok ? read.value : undefined
}

/** The copy that this process runs with, else the one installed for the agent. */
export const ofHost = async (name: string, dir: string): Promise<Resolved | undefined> =>
  (await resolved(name, import.meta.url)) ?? resolved(name, join(dir, 'amodal.json'))
