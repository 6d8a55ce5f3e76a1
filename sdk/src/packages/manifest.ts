import {
  KERNEL_API,
  err,
  messageOf,
  ok,
  trySync,
  type Failure,
  type Plugin,
  type Result,
} from '@amodal/kernel'
import { z } from 'zod'
import { failure } from '../errors.ts'

const NAMES = z.array(z.string().min(1)).default([])

/** What a plugin does, as a manifest and a lock have it. */
export const CapabilityLists = z.strictObject({
  requires: NAMES.describe('ids of slots and registries that it asks for'),
  provides: NAMES.describe('ids of slots that it fills'),
  decorates: NAMES.describe('ids of slots that it wraps'),
  taps: NAMES.describe('hooks that it taps'),
  adds: NAMES.describe('ids of registries that it adds entries to'),
  hosts: NAMES.describe('hosts that it sends requests to; `*` is any run of characters'),
  secrets: NAMES.describe('variables of the environment that it reads; `*` as in hosts'),
  files: NAMES.describe('files and folders that it opens'),
  processes: NAMES.describe('programs that it starts'),
  tables: NAMES.describe('tables that its migrations make'),
  routes: NAMES.describe('paths at which it mounts routes'),
})
export type CapabilityLists = z.output<typeof CapabilityLists>

/**
 * What the `package.json` of a plugin says of it under `amodal`. It is read without loading the
 * plugin's code; `amodal plugins manifest` writes it, and prints the JSON Schema of it.
 */
export const PluginManifest = z.looseObject({
  plugin: z.string().min(1).describe('the name that it has in a list'),
  kernel: z.int().min(1).describe('the plugin API that it was made for'),
  slots: z
    .record(z.string(), z.int().min(1))
    .optional()
    .describe('version of the interface of each slot that it asks for, fills or wraps'),
  errors: NAMES.describe('codes of errors that it defines'),
  events: NAMES.describe('types of events that it defines'),
  capabilities: CapabilityLists.optional().describe('all that it does; anything where left out'),
})
export type PluginManifest = z.output<typeof PluginManifest>

/** The `package.json` of a plugin, as far as Amodal reads it. */
export const PluginPackage = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  license: z.string().optional(),
  keywords: z.array(z.string()).default([]),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  amodal: PluginManifest.optional(),
})
export type PluginPackage = z.output<typeof PluginPackage>

const Said = z.looseObject({ amodal: PluginManifest.optional() })

/**
 * Reads the manifest of a plugin from its package.
 *
 * @param text of its package.json
 * @param file named in the failure
 * @returns `undefined` if it has no manifest; `NOT_A_PLUGIN` if the manifest is invalid
 */
export function readManifest(
  text: string,
  file: string,
): Result<PluginManifest | undefined, Failure> {
  const json = trySync((): unknown => JSON.parse(text), messageOf)
  if (!json.ok) return err(failure('NOT_A_PLUGIN', `${file} is no JSON: ${json.error}`))
  const parsed = Said.safeParse(json.value)
  if (parsed.success) return ok(parsed.data.amodal)
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? 'amodal'
  return err(failure('NOT_A_PLUGIN', `\`${where}\` in ${file}: ${issue?.message ?? ''}`))
}

/** The version of the interface of each slot, by its id. */
export type Protocols = ReadonlyMap<string, { readonly from: string; readonly protocol: number }>

/** Who provides which version of a slot, of plugins by the names that they are listed by. */
export const protocolsOf = (plugins: Iterable<readonly [name: string, Plugin]>): Protocols =>
  new Map(
    [...plugins].flatMap(([from, { provides }]) =>
      provides.flatMap((token) =>
        token.kind === 'slot' ? [[token.id, { from, protocol: token.protocol }] as const] : [],
      ),
    ),
  )

/**
 * Why a plugin does not fit, by what its package says: another kernel, other versions of slots.
 *
 * @param name of the package
 * @param known who provides which version of a slot; slots without a provider are skipped
 */
export function compatProblems(
  name: string,
  { kernel, slots = {} }: PluginManifest,
  known: Protocols,
): readonly Failure[] {
  const next = kernel > KERNEL_API ? 'update amodal' : 'install a newer version of it'
  return [
    ...(kernel === KERNEL_API
      ? []
      : [
          failure(
            'KERNEL_VERSION',
            `"${name}" is made for kernel ${kernel}, and this one is ${KERNEL_API}: ${next}`,
            { fix: next },
          ),
        ]),
    ...Object.entries(slots).flatMap(([id, protocol]) => {
      const there = known.get(id)
      return there === undefined || there.protocol === protocol
        ? []
        : [
            failure(
              'KERNEL_VERSION',
              `"${name}" knows version ${protocol} of "${id}", and ${there.from} version ${there.protocol}`,
              { fix: `install versions of ${name} and ${there.from} made for each other` },
            ),
          ]
    }),
  ]
}
