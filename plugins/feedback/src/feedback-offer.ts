import type { AgentBundle, JsonObject } from '@amodal/sdk'
import { Issues, manifestFile, shaped, warnUnknown } from '@amodal/sdk/files'
import { z } from 'zod'
import { MOST_CATEGORY_CHARS } from './feedback-request.ts'

const PART = 'feedback'
const MOST_OFFERED = 50

const category = z.looseObject({
  id: z.string().trim().min(1).max(MOST_CATEGORY_CHARS),
  label: z.string().trim().min(1).max(100),
})
const shape = z.looseObject({
  feedback: z.looseObject({
    categories: z
      .array(category)
      .max(MOST_OFFERED)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, {
        message: 'two categories have the same id',
      })
      .exactOptional(),
    comments: z.boolean().exactOptional(),
  }),
})
const NAMES = Object.keys(shape.shape.feedback.shape)

/** A reason why an answer was not good. */
interface Category {
  readonly id: string
  readonly label: string
}

/** What people are asked beside a thumb. */
export interface FeedbackOffer {
  readonly categories: readonly Category[]
  /** They may write a comment. */
  readonly comments: boolean
}

const DEFAULT: FeedbackOffer = {
  categories: [
    { id: 'incorrect', label: 'Incorrect' },
    { id: 'incomplete', label: 'Incomplete' },
    { id: 'not_helpful', label: 'Not helpful' },
    { id: 'too_slow', label: 'Too slow' },
    { id: 'unsafe', label: 'Unsafe' },
    { id: 'other', label: 'Other' },
  ],
  comments: true,
}

/**
 * Reads `feedback` of `amodal.json`; every problem is named with its line.
 *
 * @returns the bundle with what it offers, or `undefined` where it says nothing of it
 */
export async function readOffer(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  const block = bundle.manifest.raw['feedback'] ?? null
  if (block === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  warnUnknown(json, [PART], NAMES, issues)
  const read = shaped(shape, json, [], issues)
  const { categories = DEFAULT.categories, comments = DEFAULT.comments } = read?.feedback ?? {}
  const offer: JsonObject = {
    categories: categories.map(({ id, label }) => ({ id, label })),
    comments,
  }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, [PART]: offer },
  }
}

/** What `readOffer` has read, or the default. */
export const offerOf = (bundle: Pick<AgentBundle, 'parts'> | undefined): FeedbackOffer =>
  (bundle?.parts[PART] as FeedbackOffer | undefined) ?? DEFAULT // written by `readOffer`
