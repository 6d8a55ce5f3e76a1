import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import type { FeedbackFilter } from './entry.ts'

const MOST_COMMENT_CHARS = 4_000
const MOST_CATEGORIES = 10
export const MOST_CATEGORY_CHARS = 60
const MOST_TAGS = 50
const MOST_TAG_CHARS = 100
const MOST_PAGE = 200

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]
const words = (most: number, chars: number) =>
  z
    .array(z.string().trim().min(1).max(chars))
    .max(most)
    .nullish()
    .transform((all) => distinct(all ?? []))

export const FeedbackRequest = z.object({
  session_id: z.string().min(1).max(200),
  /** The journal's number of an entry of the turn (`seq`), or the id of its run. */
  message_id: z.union([z.string().min(1).max(200), z.int().min(0)]).nullish(),
  rating: z.enum(['up', 'down']).nullable(),
  categories: words(MOST_CATEGORIES, MOST_CATEGORY_CHARS),
  comment: z
    .string()
    .trim()
    .max(MOST_COMMENT_CHARS)
    .nullish()
    .transform((text) => text ?? ''),
  tags: words(MOST_TAGS, MOST_TAG_CHARS),
  scope_id: z.string().max(200).nullish(),
})
export type FeedbackRequest = z.output<typeof FeedbackRequest>

const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO time, such as 2026-05-01 or 2026-05-01T09:00:00Z',
  })
  .transform((text) => Date.parse(text))

export const Filter = z.object({
  session_id: z.string().min(1).max(200).optional(),
  rating: z.enum(['up', 'down']).optional(),
  category: z.string().min(1).max(MOST_CATEGORY_CHARS).optional(),
  from: time.optional(),
  to: time.optional(),
})
export const ListQuery = Filter.extend({
  /** Those of the caller alone. */
  mine: z.enum(['true', 'false']).optional(),
  limit: z.coerce.number().int().min(1).max(MOST_PAGE).default(50),
  cursor: z.string().max(200).optional(),
})
export const ExportQuery = Filter.extend({ format: z.enum(['jsonl', 'csv']).default('jsonl') })

type Query = Readonly<Record<string, string>>

export const readFilter = (query: Query) => read(Filter, query)
export const readListQuery = (query: Query) => read(ListQuery, query)
export const readExportQuery = (query: Query) => read(ExportQuery, query)

/** A parameter without a value counts as one that is left out. */
function read<S extends z.ZodType>(schema: S, query: Query): Result<z.output<S>, Failure> {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const checked = schema.safeParse(Object.fromEntries(given))
  return checked.success
    ? ok(checked.data)
    : err(failure('VALIDATION_ERROR', problems(checked.error)))
}

/** @param principal whose feedback alone is meant; left out: that of everybody */
export function filterOf(
  { session_id, rating, category, from, to }: z.output<typeof Filter>,
  principal: string | undefined,
): FeedbackFilter {
  return {
    ...(session_id !== undefined && { session: session_id }),
    ...(rating !== undefined && { rating }),
    ...(category !== undefined && { category }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(principal !== undefined && { principal }),
  }
}
