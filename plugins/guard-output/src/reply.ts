import {
  trySync,
  type Json,
  type ModelCall,
  type RunContext,
  type StreamPart,
  type StreamTransform,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { LinkFilter } from './loading/link-filter.ts'
import { OutputStream } from './output-stream.ts'
import { withHandles } from './output-cleaning.ts'
import { type Finding, type Review, WORK_EXCEEDED } from './review.ts'
import { claimsBeyond, isScoped } from './scope.ts'
import { OutputBlocked, OutputCut } from './errors.ts'

/**
 * Redacts a reply while it streams to the client and the journal.
 */
export function replyGuard(review: Review, _call: ModelCall, ctx: RunContext): StreamTransform {
  return new Reply(review, ctx)
}

class Reply implements StreamTransform {
  readonly #review: Review
  readonly #ctx: RunContext
  readonly #text: OutputStream
  readonly #reasoning: OutputStream
  /** Of the text and of the reasoning. */
  readonly #links: readonly [LinkFilter, LinkFilter] | undefined
  readonly #scoped: boolean
  #id = ''
  #reasoningId = ''
  #said = ''
  #calls = false
  #told = false
  #over = false

  constructor(review: Review, ctx: RunContext) {
    this.#review = review
    this.#ctx = ctx
    this.#text = new OutputStream(review, ctx, (finding) => this.#found(finding))
    this.#reasoning = new OutputStream(review, ctx, ({ stage, what, action }) =>
      ctx.log.warn('output_finding', { stage, what, action, in: 'reasoning' }),
    )
    const policy = review.linkPolicy(ctx)
    this.#links = policy && [new LinkFilter(policy), new LinkFilter(policy)]
    this.#scoped = review.settings.scope !== 'off' && isScoped(ctx.bundle)
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        this.#id = part.id
        return this.#give(this.#text.push(part.delta))
      case 'reasoning-delta':
        this.#reasoningId = part.id
        return this.#reason(this.#reasoning.push(part.delta))
      case 'tool-call':
        this.#calls = true
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
    const [text, reasoning] = this.#links ?? []
    const last = [
      ...this.#give(this.#text.flush()),
      ...this.#give('', text),
      ...this.#reason(this.#reasoning.flush()),
      ...this.#reason('', reasoning),
    ]
    if (this.#over) return last
    this.#over = true
    return [...last, ...this.#label()]
  }

  /** @param ends of this filter, all it still holds goes too */
  #give(clean: string, ends?: LinkFilter): readonly StreamPart[] {
    const text = ends ? ends.flush() : (this.#links?.[0].push(clean) ?? clean)
    if (text === '') return []
    if (this.#scoped) this.#said += text
    return [{ type: 'text-delta', id: this.#id, delta: text }]
  }

  #reason(clean: string, ends?: LinkFilter): readonly StreamPart[] {
    const text = ends ? ends.flush() : (this.#links?.[1].push(clean) ?? clean)
    return text === '' ? [] : [{ type: 'reasoning-delta', id: this.#reasoningId, delta: text }]
  }

  /** Arguments as the model sent them, if they are no JSON: they will be refused. */
  #input(input: string): string {
    if (this.#review.known(this.#ctx).empty) return input
    const read = trySync(
      () => parseExact(input) as Json,
      () => undefined,
    )
    if (!read.ok) return input
    const own = withHandles(read.value, this.#review, this.#ctx)
    return own === read.value ? input : JSON.stringify(own)
  }

  /**
   * Adds the label of the row scope to claims about all rows. Text before further calls makes no
   * final claim.
   */
  #label(): readonly StreamPart[] {
    if (!this.#scoped || this.#calls || this.#text.blocked || this.#said === '') return []
    const labels = claimsBeyond(this.#said, this.#ctx.bundle)
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
    if (action === 'redact' || this.#told) return
    this.#told = true
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
