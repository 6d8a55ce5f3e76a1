import {
  ok,
  timeLimit,
  type Failure,
  type JobQueue,
  type Logger,
  type Question,
  type Result,
  type RunContext,
} from '@amodal/sdk'
import { targetOf } from './target.ts'
import type { Notices } from './tokens.ts'

/** Jobs that send a notice each. */
export const NOTICES = 'notify.asks'

/** ms for publishing one job. */
const PUBLISH_MS = 10_000
/** After 5 s, then longer and longer, over more than a day. */
const RETRIES = { limit: 14, delayMs: 5_000, maxDelayMs: 36_000_000, lostWorkers: 1_000 } as const

/**
 * Publishes the notice of a question. The loop asks again after a crash, and the key of the job
 * makes one notice of it.
 */
export async function publishNotice(
  queue: JobQueue,
  log: Logger,
  question: Question,
  { bundle, tenant, principal, session, signal }: RunContext,
): Promise<undefined> {
  if (!targetOf(bundle)) return
  const published = await queue.publish(
    [
      {
        queue: NOTICES,
        key: question.id,
        data: { session, ask: question.id },
        tenant,
        principal,
        retries: RETRIES,
      },
    ],
    timeLimit(PUBLISH_MS, 'publishing a notice', signal),
  )
  if (!published.ok)
    log.error('notify.not_published', { ask: question.id, message: published.error.message })
}

/** Publishes notices of other plugins. */
export const noticesOf = (queue: JobQueue): Notices => ({
  hasTarget: (bundle) => bundle !== undefined && targetOf(bundle) !== undefined,
  async send(key, tenant, { type, message, data }, signal): Promise<Result<void, Failure>> {
    const published = await queue.publish(
      [
        {
          queue: NOTICES,
          key,
          data: { notice: { type, message, data } },
          tenant,
          retries: RETRIES,
        },
      ],
      timeLimit(PUBLISH_MS, 'publishing a notice', signal),
    )
    return published.ok ? ok(undefined) : published
  },
})
