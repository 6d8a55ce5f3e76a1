import type { StreamPart, StreamTransform } from '@amodal/sdk'
import { LinkFilter } from './link-filter.ts'
import type { LinkPolicy } from './tag-rules.ts'

/** Filters the text and the reasoning of a reply while they stream. */
export class LinkStream implements StreamTransform {
  readonly #text: LinkFilter
  readonly #reasoning: LinkFilter
  #id = ''
  #reasoningId = ''

  constructor(policy: LinkPolicy) {
    this.#text = new LinkFilter(policy)
    this.#reasoning = new LinkFilter(policy)
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        this.#id = part.id
        return this.#textParts(this.#text.push(part.delta))
      case 'reasoning-delta':
        this.#reasoningId = part.id
        return this.#reasoningParts(this.#reasoning.push(part.delta))
      // Of one block of text or several: what is held belongs to the whole of them.
      case 'finish':
      case 'error':
        return [...this.flush(), part]
      default:
        return [part]
    }
  }

  flush(): readonly StreamPart[] {
    return [
      ...this.#textParts(this.#text.flush()),
      ...this.#reasoningParts(this.#reasoning.flush()),
    ]
  }

  #textParts(delta: string): readonly StreamPart[] {
    return delta === '' ? [] : [{ type: 'text-delta', id: this.#id, delta }]
  }

  #reasoningParts(delta: string): readonly StreamPart[] {
    return delta === '' ? [] : [{ type: 'reasoning-delta', id: this.#reasoningId, delta }]
  }
}
