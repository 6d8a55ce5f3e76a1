import {
  trySync,
  type Json,
  type RunContext,
  type StreamPart,
  type StreamTransform,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { OutputStream } from './output-stream.ts'
import { withHandles } from './clean.ts'
import { type Finding, type Reader, readerOf, type Review, WORK_EXCEEDED } from './review.ts'
import { claimsBeyond, isScoped } from './scope.ts'
import { OutputBlocked, OutputCut } from './errors.ts'

/**
 * Redacts a reply while it streams to the client and the journal.
 */
export function replyGuard(review: Review, ctx: RunContext): StreamTransform {
  return new Reply(review, ctx)
}

class Reply implements StreamTransform {
  readonly #review: Review
  readonly #ctx: RunContext
  readonly #reader: Reader
  readonly #text: OutputStream
  readonly #reasoning: OutputStream
  readonly #isScoped: boolean
  #id = ''
  #reasoningId = ''
  /** The text so far, where claims about all rows are looked for in it. */
  #emitted = ''
  #hasCalls = false
  #isWarned = false
  #isFinished = false

  constructor(review: Review, ctx: RunContext) {
    this.#review = review
    this.#ctx = ctx
    this.#reader = readerOf(ctx)
    this.#text = new OutputStream(review, this.#reader, (finding) => this.#found(finding))
    this.#reasoning = new OutputStream(review, this.#reader, ({ stage, what, action }) =>
      ctx.log.warn('output_finding', { stage, what, action, in: 'reasoning' }),
    )
    this.#isScoped = review.settings.scope !== 'off' && isScoped(ctx.bundle)
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        this.#id = part.id
        return this.#textParts(this.#text.push(part.delta))
      case 'reasoning-delta':
        this.#reasoningId = part.id
        return this.#reasoningParts(this.#reasoning.push(part.delta))
      case 'tool-call':
        this.#hasCalls = true
        return [{ ...part, input: this.#input(part.input) }]
      // Of one block of text or several: what is held belongs to the whole of them.
      case 'finish':
      case 'error':
        return [...this.flush(), part]
      default:
        return [part]
    }
  }

  flush(): readonly StreamPart[] {
    const last = [
      ...this.#textParts(this.#text.flush()),
      ...this.#reasoningParts(this.#reasoning.flush()),
    ]
    if (this.#isFinished) return last
    this.#isFinished = true
    return [...last, ...this.#label()]
  }

  #textParts(delta: string): readonly StreamPart[] {
    if (this.#isScoped) this.#emitted += delta
    return delta === '' ? [] : [{ type: 'text-delta', id: this.#id, delta }]
  }

  #reasoningParts(delta: string): readonly StreamPart[] {
    return delta === '' ? [] : [{ type: 'reasoning-delta', id: this.#reasoningId, delta }]
  }

  /** Arguments as the model sent them, if they are no JSON: they will be refused. */
  #input(input: string): string {
    if (this.#review.index(this.#reader).isEmpty) return input
    const parsed = trySync(
      () => parseExact(input) as Json,
      () => undefined,
    )
    if (!parsed.ok) return input
    const own = withHandles(parsed.value, this.#review, this.#reader)
    return own === parsed.value ? input : JSON.stringify(own)
  }

  /**
   * Adds the label of the row scope to claims about all rows. Text before further calls makes no
   * final claim.
   */
  #label(): readonly StreamPart[] {
    if (!this.#isScoped || this.#hasCalls || this.#text.blocked || this.#emitted === '') return []
    const labels = claimsBeyond(this.#emitted, this.#ctx.bundle)
    if (labels.length === 0) return []
    this.#ctx.log.info('output_finding', { stage: 'scope', what: labels })
    if (this.#review.settings.scope === 'label')
      return [
        {
          type: 'text-delta',
          id: this.#id,
          delta: `\n\n_This covers ${labels.join(' and ')} only._`,
        },
      ]
    this.#ctx.progress({
      type: 'warning',
      message: `This reply speaks of all, and covers ${labels.join(' and ')} only.`,
    })
    return []
  }

  #found({ stage, what, action }: Finding): void {
    this.#ctx.log.warn('output_finding', { stage, what, action })
    if (action === 'redact' || this.#isWarned) return
    this.#isWarned = true
    this.#ctx.progress(
      what === WORK_EXCEEDED.what
        ? {
            type: 'warning',
            code: OutputCut.code,
            message: 'The rest of this reply was withheld: it took too much work to look at.',
          }
        : {
            type: 'warning',
            code: OutputBlocked.code,
            message:
              action === 'block'
                ? 'The rest of this reply was withheld: it held restricted data.'
                : 'This reply holds what looks like restricted data.',
          },
    )
  }
}
