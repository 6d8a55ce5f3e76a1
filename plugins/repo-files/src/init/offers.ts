import { err, ok, type Generation, type Result } from '@amodal/sdk'
import { StarterOffers, type StarterOffer } from '../tokens.ts'
import type { Answers } from './answers.ts'
import type { StarterFile } from './starter-files.ts'

/** What there is to begin with, and whether the command line asks for it. */
export interface Offered {
  readonly offer: StarterOffer
  readonly isWanted: boolean
}

/**
 * The offers of the plugins.
 *
 * @param names as `--with` has them
 * @returns what is wrong with the names, in a line
 */
export function offersOf(
  generation: Generation,
  names: unknown,
): Result<readonly Offered[], string> {
  const offers = [...generation.registry(StarterOffers)]
  const wanted = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  const unknown = wanted.find((name) => !offers.some(([own]) => own === name))
  if (unknown !== undefined)
    return err(
      `--with: there is no "${unknown}" to begin with (there are: ${offers.map(([own]) => own).join(', ') || 'none'})`,
    )
  return ok(offers.map(([own, offer]) => ({ offer, isWanted: wanted.includes(own) })))
}

/** The files of the offers that are wanted: by the command line, or by the person at it. */
export async function filesOffered(
  offers: readonly Offered[],
  answers: Answers | undefined,
): Promise<readonly StarterFile[]> {
  const files: StarterFile[] = []
  for (const { isWanted, offer } of offers)
    if (isWanted || (await answers?.yes(offer.question)) === true) files.push(...offer.files)
  return files
}
