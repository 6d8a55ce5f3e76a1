import {
  err,
  failure,
  isId,
  ok,
  principalId,
  sessionId,
  timeLimit,
  type Agent,
  type Audience,
  type Caller,
  type Clock,
  type Failure,
  type OutputRedactor,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { randomUUID } from 'node:crypto'
import type {
  FeedbackCounts,
  FeedbackEntry,
  FeedbackFilter,
  FeedbackShelf,
  Place,
} from './entry.ts'
import type { FeedbackGiven } from './feedback-given.ts'
import { offerOf, type FeedbackOffer } from './feedback-offer.ts'
import type { FeedbackRequest } from './feedback-request.ts'
import { answerIn } from './rated-answer.ts'

/** ms for one look into the shelf, or one change of it. */
const SHELF_MS = 10_000

interface ServiceParts {
  readonly agent: Agent
  readonly clock: Pick<Clock, 'now'>
  readonly redactor: OutputRedactor | undefined
  readonly shelfOf: (tenant: TenantId) => FeedbackShelf
  readonly tell: (audience: Audience, facts: Parameters<typeof FeedbackGiven>[0]) => void
}

/** The answer that somebody has rated, and what they think of it now. */
export interface Given {
  readonly run: string
  readonly seq: number
  /** `undefined`: they have taken it back. */
  readonly entry: FeedbackEntry | undefined
}

export interface FeedbackPage {
  readonly entries: readonly FeedbackEntry[]
  readonly next?: Place
}

type Tenant = Pick<Caller, 'tenant'>

/** What can be done with feedback, over whatever protocol. */
export class FeedbackService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  offer(): FeedbackOffer {
    return offerOf(this.#parts.agent.bundle())
  }

  /** Stores, replaces or removes what the caller thinks of an answer that they may see. */
  async give(
    caller: Caller,
    request: FeedbackRequest,
    signal: AbortSignal,
  ): Promise<Result<Given, Failure>> {
    const { session_id: id, message_id: message, rating, comment } = request
    if (!isId(id)) return err(failure('SESSION_NOT_FOUND', 'no id'))
    if (comment !== '' && !this.offer().comments)
      return err(
        failure(
          'VALIDATION_ERROR',
          'comment: comments are off (`feedback.comments` of amodal.json)',
        ),
      )
    const session = sessionId(id)
    const view = await this.#parts.agent.as(caller).session(session, signal)
    if (!view.ok) return view
    const found = answerIn(view.value.entries, message ?? undefined)
    if (!found.ok) return found
    const { run, seq } = found.value
    const { tenant, principal } = caller
    const shelf = this.#parts.shelfOf(tenant)
    const limit = timeLimit(SHELF_MS, 'storing feedback', signal)
    const stored =
      rating === null
        ? await shelf.remove({ session, run, principal }, limit)
        : await shelf.put(
            {
              ...found.value,
              id: `fb_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
              session,
              principal,
              rating,
              categories: request.categories,
              comment: this.#clean(comment),
              tags: request.tags,
              at: this.#parts.clock.now(),
              question: this.#clean(found.value.question),
              answer: this.#clean(found.value.answer),
            },
            limit,
          )
    if (!stored.ok) return stored
    const audience = { tenant, owner: principalId(view.value.row.principal) }
    this.#parts.tell(audience, { session, run, rating: rating ?? 'none' })
    const entry = typeof stored.value === 'boolean' ? undefined : stored.value
    return ok({ run, seq, entry })
  }

  async page(
    { tenant }: Tenant,
    filter: FeedbackFilter,
    { limit, after }: { readonly limit: number; readonly after?: Place | undefined },
    signal: AbortSignal,
  ): Promise<Result<FeedbackPage, Failure>> {
    const time = timeLimit(SHELF_MS, 'reading feedback', signal)
    // One more than is shown says whether there are more.
    const place = { limit: limit + 1, ...(after && { after }) }
    const found = await this.#parts.shelfOf(tenant).list(filter, place, time)
    if (!found.ok) return found
    const entries = found.value.slice(0, limit)
    const last = entries.at(-1)
    return ok({
      entries,
      ...(found.value.length > limit && last && { next: { at: last.at, id: last.id } }),
    })
  }

  counts(
    { tenant }: Tenant,
    filter: FeedbackFilter,
    signal: AbortSignal,
  ): Promise<Result<FeedbackCounts, Failure>> {
    const time = timeLimit(SHELF_MS, 'counting feedback', signal)
    return this.#parts.shelfOf(tenant).counts(filter, time)
  }

  /** Restricted values are taken out of what is stored. */
  #clean(text: string): string {
    return this.#parts.redactor?.text(text) ?? text
  }
}
