import { failure, type Failure } from '@amodal/sdk'
import type { LoopTurn } from '../run/loop-turn.ts'

/**
 * Aborts with the turn, or if the model is silent for too long. One timer serves the whole stream.
 */
export class ReplyWatch {
  readonly #controller = new AbortController()
  readonly #turn: LoopTurn
  readonly #follow = (): void => this.#controller.abort()
  #allowed: number
  #began = false
  #at = performance.now()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(turn: LoopTurn) {
    this.#turn = turn
    this.#allowed = turn.parts.settings.firstPartMs
    if (turn.signal.aborted) this.#follow()
    turn.signal.addEventListener('abort', this.#follow, { once: true })
    this.#arm(this.#allowed)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  extend(): void {
    this.#at = performance.now()
    if (this.#began) return
    this.#began = true
    this.#allowed = this.#turn.parts.settings.stallMs
    this.#arm(this.#allowed)
  }

  tooLate(name: string): Failure | undefined {
    if (!this.signal.aborted || this.#turn.stopped !== undefined) return undefined
    return failure(
      'MODEL_TIMEOUT',
      this.#began
        ? `${name} stopped sending for ${this.#allowed} ms`
        : `${name} sent nothing within ${this.#allowed} ms`,
    )
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#turn.signal.removeEventListener('abort', this.#follow)
    this.#turn.parts.alive()
  }

  // Hand-written for speed: each part moves the deadline without a new timer.
  #arm(ms: number): void {
    clearTimeout(this.#timer)
    this.#turn.parts.alive(ms)
    this.#timer = setTimeout(() => {
      const remainingMs = this.#at + this.#allowed - performance.now()
      if (remainingMs > 0) this.#arm(remainingMs)
      else this.#controller.abort()
    }, ms)
    this.#timer.unref?.()
  }
}
