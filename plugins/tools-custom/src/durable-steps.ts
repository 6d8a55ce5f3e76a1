import {
  err,
  failure,
  type Clock,
  type Failure,
  type Json,
  ok,
  type QuestionDraft,
  isObject,
  type Result,
  sleep,
  type ToolContext,
} from '@amodal/sdk'
import type { HandlerRequest } from './process/messages.ts'

type DurableRequest = Extract<HandlerRequest, { readonly op: 'sleep' | 'approval' }>

/** ms that a handler waits in its process; for longer, the run parks and begins the call anew. */
const SHORT_MS = 1_000
/** Longest wait, ms. */
const MOST_MS = 366 * 24 * 3_600_000

/**
 * What a durable handler is given that differs from try to try. Each value is recorded before the
 * handler has it, so that a retry is given the same.
 */
export class DurableSteps {
  /** Set where the handler waits for longer than its process lives. */
  readonly suspended = Promise.withResolvers<QuestionDraft>()
  readonly #ctx: ToolContext
  readonly #clock: Clock
  /** ms since 1970, by the newest stamp. */
  time = 0
  #stamps = 0
  readonly #counts = new Map<string, number>()

  constructor(ctx: ToolContext, clock: Clock) {
    this.#ctx = ctx
    this.#clock = clock
  }

  request(what: DurableRequest): Promise<Result<Json, Failure>> {
    const count = (this.#counts.get(what.op) ?? 0) + 1
    this.#counts.set(what.op, count)
    const step = `${what.op}/${count}`
    switch (what.op) {
      case 'sleep':
        return this.#sleep(step, what.until)
      case 'approval':
        return this.#approval(step, what.prompt)
    }
  }

  /**
   * Records the time of the begin, and of each answer: the handler is shown it until the next one,
   * so that a retry sees the same times.
   */
  async stamp(): Promise<Result<number, Failure>> {
    const stamped = await this.#recorded(`at/${++this.#stamps}`, () => this.#clock.now())
    if (!stamped.ok) return stamped
    this.time = Math.max(this.time, Number(stamped.value))
    return ok(this.time)
  }

  async #recorded(step: string, make: () => Json): Promise<Result<Json, Failure>> {
    const { recorded } = this.#ctx
    if (!recorded) return err(failure('TOOL_DENIED', 'this call is not recorded'))
    const known = recorded.get(step)
    if (known !== undefined) return ok(known)
    const value = make()
    const added = await recorded.add(step, value)
    return added.ok ? ok(value) : added
  }

  /** @param until ms since 1970 */
  async #sleep(step: string, until: number): Promise<Result<Json, Failure>> {
    const now = this.#clock.now()
    if (!Number.isFinite(until) || until - now > MOST_MS)
      return err(failure('TOOL_ARGUMENTS', 'sleepUntil: a date within a year is expected'))
    const end = await this.#recorded(step, () => until)
    if (!end.ok) return end
    const remainingMs = Number(end.value) - this.#clock.now()
    if (remainingMs <= 0) return ok(null)
    if (remainingMs <= SHORT_MS) {
      await sleep(remainingMs, this.#ctx.signal)
      return ok(null)
    }
    this.suspended.resolve({
      type: 'question',
      schema: { type: 'object', properties: {}, additionalProperties: false },
      context: { step, prompt: `It goes on at ${new Date(Number(end.value)).toISOString()}.` },
      expiresInMs: remainingMs,
      resumes: true,
      wakes: true,
    })
    return new Promise(() => undefined)
  }

  #approval(step: string, prompt: string): Promise<Result<Json, Failure>> {
    const given = this.#ctx.answers?.find(({ context }) => context['step'] === step)
    if (given) {
      const { approved, note } = isObject(given.answer['answers']) ? given.answer['answers'] : {}
      return Promise.resolve(
        ok({
          approved: approved === 'yes',
          respondedBy: given.principal,
          ...(typeof note === 'string' && { note }),
        }),
      )
    }
    this.suspended.resolve({
      type: 'question',
      schema: {
        type: 'object',
        properties: {
          answers: {
            type: 'object',
            properties: {
              approved: { type: 'string', enum: ['yes', 'no'] },
              note: { type: 'string', maxLength: 5_000 },
            },
            required: ['approved'],
            additionalProperties: false,
          },
        },
        required: ['answers'],
        additionalProperties: false,
      },
      context: { step, prompt, durable: 'approval' },
      questions: [
        {
          id: 'approved',
          text: prompt,
          type: 'choice',
          options: [
            { label: 'Approve', value: 'yes' },
            { label: 'Decline', value: 'no' },
          ],
          required: true,
        },
        { id: 'note', text: 'Note (optional)', type: 'text', required: false },
      ],
      resumes: true,
    })
    return new Promise(() => undefined)
  }
}
