import { z } from 'zod'

const text = z.string()
const count = z.number()
const rating = z.enum(['up', 'down'])
const sums = { up: count, down: count }

export const GivenFeedback = z.object({
  ok: z.literal(true),
  id: text.optional(),
  at: z.iso.datetime().optional(),
  session_id: text,
  message_id: text,
  run_id: text,
  rating: rating.nullable(),
})
export const FeedbackList = z.object({
  feedback: z.array(
    z
      .object({
        id: text,
        session_id: text,
        message_id: text,
        run_id: text,
        principal: text,
        rating,
        categories: z.array(text),
        comment: text.nullable(),
        tags: z.array(text),
        at: z.iso.datetime(),
        answered_at: z.iso.datetime(),
        question: text,
        answer: text,
        model: text.nullish(),
        provider: text.nullish(),
        input_tokens: count,
        output_tokens: count,
        cost: count.nullable(),
      })
      .meta({ id: 'Feedback' }),
  ),
  next_cursor: text.nullable(),
})
export const FeedbackCategories = z.looseObject({ categories: z.array(z.looseObject({})) })
export const FeedbackStats = z.object({
  total: count,
  ratings: z.object(sums),
  categories: z.array(z.object({ category: text, ...sums })),
  days: z.array(z.object({ day: text, ...sums })),
})
