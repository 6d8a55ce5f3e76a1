import { err, ok, type CommandContext, type Generation, type Result } from '@amodal/sdk'
import { StarterOffers, type StarterOffer } from '../tokens.ts'
import type { Answers } from './answers.ts'
import type { StarterFile } from './starter-files.ts'

/** What there is to begin with, and what the command line says of it. */
export interface Offered {
  readonly offer: StarterOffer
  /** `undefined` where it says nothing: a person is asked. */
  readonly isWanted: boolean | undefined
}

/**
 * The offers of the plugins.
 *
 * @param options `with` and `without` are lists of names
 * @returns what is wrong with the names, in a line
 */
export function offersOf(
  generation: Generation,
  options: CommandContext['options'],
): Result<readonly Offered[], string> {
  const offers = [...generation.registry(StarterOffers)]
  const [wanted, unwanted] = [namesIn(options['with']), namesIn(options['without'])]
  const unknown = [...wanted, ...unwanted].find((name) => !offers.some(([own]) => own === name))
  if (unknown !== undefined)
    return err(
      `there is no "${unknown}" to begin with (there are: ${offers.map(([own]) => own).join(', ') || 'none'})`,
    )
  return ok(
    offers.map(([name, offer]) => {
      if (unwanted.includes(name)) return { offer, isWanted: false }
      return { offer, isWanted: wanted.includes(name) ? true : undefined }
    }),
  )
}

const namesIn = (option: CommandContext['options'][string]): readonly string[] =>
  Array.isArray(option) ? option.filter((name) => typeof name === 'string') : []

/** The files of the offers that are wanted: by the command line, or by the person at it. */
export async function filesOffered(
  offers: readonly Offered[],
  answers: Answers | undefined,
): Promise<readonly StarterFile[]> {
  const files: StarterFile[] = []
  for (const { isWanted, offer } of offers) {
    const { isDefault = false, question } = offer
    if (isWanted ?? (await answers?.yes(question, isDefault)) ?? isDefault)
      files.push(...offer.files)
  }
  return files
}
