import { err, ok, type CommandContext, type Result } from '@amodal/sdk'
import type { AskRoutes } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import type { PromotionRequest } from '../promote/promotion.ts'

/** Answers that are promoted at once where `--limit` is left out. */
const USUAL = 20

const Listed = z.object({
  feedback: z.array(
    z.object({
      session_id: z.string(),
      message_id: z.string(),
      rating: z.enum(['up', 'down']),
      categories: z.array(z.string()),
      comment: z.string().nullable(),
    }),
  ),
})
const Refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** Which answers are promoted: those that people rated so. */
export type RatedQuery = Readonly<Record<string, string>>

/** One conversation, up to an answer that somebody rated. */
export interface RatedAnswer {
  readonly session: string
  readonly request: PromotionRequest
}

/** Reads `--rating`, `--from` and `--limit`; `undefined` where the command line names sessions. */
export function ratedQuery({ options }: CommandContext): Result<RatedQuery | undefined, string> {
  const { from, limit, rating } = options
  if (rating === undefined)
    return (from ?? limit) === undefined
      ? ok(undefined)
      : err('--from and --limit are of rated answers: add --rating up or --rating down')
  if (rating !== 'up' && rating !== 'down') return err('--rating: say up or down')
  return ok({
    rating,
    limit: typeof limit === 'string' ? limit : String(USUAL),
    ...(typeof from === 'string' && { from }),
  })
}

/** The rated answers, the newest first, each of them once. */
export async function ratedAnswers(
  ask: AskRoutes,
  query: RatedQuery,
): Promise<Result<readonly RatedAnswer[], string>> {
  const response = await ask('GET', `/api/feedback?${new URLSearchParams(query).toString()}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const refused = Refused.safeParse(body)
    return err(
      refused.success
        ? `${refused.data.error.code}: ${refused.data.error.message}`
        : `/api/feedback: ${response.status}`,
    )
  }
  const listed = Listed.safeParse(body)
  if (!listed.success) return err('/api/feedback answers with something else than feedback')
  const byAnswer = Map.groupBy(listed.data.feedback, (one) =>
    JSON.stringify([one.session_id, one.message_id]),
  )
  return ok(
    [...byAnswer.values()].flatMap((entries) => {
      const [first] = entries
      if (!first) return []
      const faults = entries
        .filter(({ rating }) => rating === 'down')
        .map(({ categories, comment }) => ({ categories, comment: comment ?? '' }))
      return [
        {
          session: first.session_id,
          request: { at: Number(first.message_id), ...(faults.length > 0 && { faults }) },
        },
      ]
    }),
  )
}
