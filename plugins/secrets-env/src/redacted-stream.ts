import type { StreamPart, StreamTransform } from '@amodal/sdk'

export interface SecretRedactor {
  mask(text: string): string
  /** How much of an unfinished text can be masked now. */
  redactableLength(text: string): number
}

/**
 * Masks secrets in a stream of deltas. A suffix that may be the beginning of a secret is buffered
 * until the next delta.
 */
export class RedactedStream implements StreamTransform {
  readonly #secrets: SecretRedactor
  readonly #pending = new Map<Delta['type'], Delta>()

  constructor(secrets: SecretRedactor) {
    this.#secrets = secrets
  }

  push(part: StreamPart): readonly StreamPart[] {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return this.#redact(part)
      case 'finish':
      case 'error':
        return [...this.flush(), part]
      default:
        return [part]
    }
  }

  flush(): readonly StreamPart[] {
    const rest = [...this.#pending.values()]
    this.#pending.clear()
    return rest.map((part) => ({ ...part, delta: this.#secrets.mask(part.delta) }))
  }

  #redact(part: Delta): readonly StreamPart[] {
    const text = (this.#pending.get(part.type)?.delta ?? '') + part.delta
    const length = this.#secrets.redactableLength(text)
    if (length === text.length) this.#pending.delete(part.type)
    else this.#pending.set(part.type, { ...part, delta: text.slice(length) })
    const delta = this.#secrets.mask(text.slice(0, length))
    if (delta === part.delta) return [part]
    return delta === '' ? [] : [{ ...part, delta }]
  }
}

type Delta = Extract<StreamPart, { type: 'text-delta' | 'reasoning-delta' }>
