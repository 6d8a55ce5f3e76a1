import { trySync, type CommandContext } from '@amodal/sdk'
import { z } from 'zod'
import { npm } from './npm.ts'

const Published = z.looseObject({
  _npmUser: z
    .union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)])
    .optional(),
  time: z.record(z.string(), z.string()).optional(),
  'dist.attestations': z.unknown().optional(),
})

/**
 * Reads from the registry who published a version, when, and whether it has provenance.
 *
 * @returns a sentence; `undefined` if the registry does not have the data
 */
export async function publication(
  name: string,
  version: string,
  context: CommandContext,
): Promise<string | undefined> {
  const fields = ['_npmUser', 'time', 'dist.attestations']
  const result = await npm(['view', '--json', '--', `${name}@${version}`, ...fields], context)
  const json = trySync(
    (): unknown => JSON.parse(result.ok ? result.value : ''),
    () => undefined,
  )
  const read = Published.safeParse(json.ok ? json.value : undefined)
  if (!read.success) return undefined
  const { _npmUser: by, time, 'dist.attestations': proof } = read.data
  return [
    time?.[version]?.slice(0, 10) ?? 'at a time that is not known',
    by === undefined ? '' : ` by ${by.replace(/ <.*/, '')}`,
    proof === undefined
      ? ', with no provenance'
      : ', with provenance: `npm audit signatures` checks it once it is installed',
  ].join('')
}
