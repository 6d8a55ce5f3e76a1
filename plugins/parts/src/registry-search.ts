import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { z } from 'zod'
import { PartsNotFound } from './errors.ts'
import { KEYWORD } from './package-manifest.ts'
import { registryJson } from './registry.ts'
import type { RegistryContext } from './registry-context.ts'

const answer = z.looseObject({
  objects: z.array(
    z.looseObject({
      package: z.looseObject({
        name: z.string(),
        version: z.string(),
        description: z.string().exactOptional(),
      }),
    }),
  ),
})

/** A package that a search has found. */
export interface FoundPackage {
  readonly name: string
  readonly version: string
  readonly description?: string
}

const MOST_FOUND = 50

/**
 * Searches a registry for packages of parts.
 *
 * @param tag a further keyword that they have
 * @returns at most 50; `PARTS_NOT_FOUND` where the registry does not answer
 */
export async function searchRegistry(
  words: readonly string[],
  tag: string | undefined,
  context: RegistryContext,
): Promise<Result<readonly FoundPackage[], Failure>> {
  const keywords = [KEYWORD, ...(tag === undefined ? [] : [tag])]
  const text = [...keywords.map((word) => `keywords:${word}`), ...words].join(' ')
  const query = new URLSearchParams({ text, size: String(MOST_FOUND) })
  const found = await registryJson('', `/-/v1/search?${query.toString()}`, context)
  if (!found.ok) return err(PartsNotFound(`the registry cannot be searched: ${found.error}`))
  const read = answer.safeParse(found.value)
  if (!read.success) return err(PartsNotFound('the registry has no search'))
  return ok(
    read.data.objects.map(({ package: { name, version, description } }) => ({
      name,
      version,
      ...(description !== undefined && { description }),
    })),
  )
}
