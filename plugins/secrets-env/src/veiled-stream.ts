import type { StreamPart, StreamTransform } from '@amodal/sdk'

export interface Veiling {
  mask(text: string): string
  /** Up to where a text that goes on can be masked. */
  settled(text: string): number
}

/**
 * A reply without secrets, however it is cut into pieces: an end that may be the beginning of one
 * is held back.
 */
export class VeiledStream implements StreamTransform {
  readonly #secrets: Veiling
  readonly #held = new Map<Delta['type'], Delta>()

  constructor(secrets: Veiling) {
    this.#secrets = secrets
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return this.#give(part)
      case 'finish':
      case 'error':
        return [...this.flush(), part]
      default:
        return [part]
    }
  }

  flush(): readonly StreamPart[] {
    const rest = [...this.#held.values()]
    this.#held.clear()
    return rest.map((part) => ({ ...part, delta: this.#secrets.mask(part.delta) }))
  }

  #give(part: Delta): readonly StreamPart[] {
    const text = (this.#held.get(part.type)?.delta ?? '') + part.delta
    const settled = this.#secrets.settled(text)
    if (settled === text.length) this.#held.delete(part.type)
    else this.#held.set(part.type, { ...part, delta: text.slice(settled) })
    const delta = this.#secrets.mask(text.slice(0, settled))
    return delta === part.delta ? [part] : delta === '' ? [] : [{ ...part, delta }]
  }
}

type Delta = Extract<StreamPart, { type: 'text-delta' | 'reasoning-delta' }>
