import { NANO, type JsonObject } from '@amodal/sdk'
import type { FeedbackCounts, FeedbackEntry, Place, Rating } from './entry.ts'
import type { Given } from './feedback-service.ts'

const isoOf = (at: number): string => new Date(at).toISOString()

/** An entry as clients get it; `cost` is in dollars. */
export const entryView = (entry: FeedbackEntry) => ({
  id: entry.id,
  session_id: entry.session,
  message_id: String(entry.seq),
  run_id: entry.run,
  principal: entry.principal,
  rating: entry.rating,
  categories: entry.categories,
  comment: entry.comment === '' ? null : entry.comment,
  tags: entry.tags,
  at: isoOf(entry.at),
  answered_at: isoOf(entry.answeredAt),
  question: entry.question,
  answer: entry.answer,
  model: entry.model,
  provider: entry.provider,
  input_tokens: entry.inputTokens,
  output_tokens: entry.outputTokens,
  cost: entry.cost === undefined ? null : entry.cost / NANO,
})

/** What whoever has rated an answer is told. */
export const givenView = (session: string, { run, seq, entry }: Given): JsonObject => ({
  ok: true,
  ...(entry && { id: entry.id, at: isoOf(entry.at) }),
  session_id: session,
  message_id: String(seq),
  run_id: run,
  rating: entry?.rating ?? null,
})

/** Sums by rating, by category and by day. */
export function countsView({ days, categories }: FeedbackCounts): JsonObject {
  const sums = (items: FeedbackCounts['days'] | FeedbackCounts['categories']) => ({
    up: sumOf(items, 'up'),
    down: sumOf(items, 'down'),
  })
  const byDay = Map.groupBy(days, ({ day }) => day)
  const byCategory = Map.groupBy(categories, ({ category }) => category)
  const ratings = sums(days)
  return {
    total: ratings.up + ratings.down,
    ratings,
    categories: [...byCategory].map(([category, items]) => ({ category, ...sums(items) })),
    days: [...byDay].map(([day, items]) => ({ day, ...sums(items) })),
  }
}

const sumOf = (
  items: readonly { readonly rating: Rating; readonly count: number }[],
  rating: Rating,
): number => items.reduce((sum, item) => (item.rating === rating ? sum + item.count : sum), 0)

export const cursorOf = ({ at, id }: Place): string => `${at}.${id}`

/** @returns `undefined` for whatever no list gave */
export function placeOf(cursor: string): Place | undefined {
  const [, at, id] = /^(\d{1,15})\.(fb_[0-9a-f]{24})$/.exec(cursor) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}
