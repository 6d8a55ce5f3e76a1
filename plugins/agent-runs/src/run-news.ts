import { sessionId, sleep, tenantId, type Database, type SessionRef } from '@amodal/sdk'
import type { AttemptEnd } from './run-progress.ts'
import { CHANNEL } from './run-statements.ts'

/** ms for telling other instances; those look by themselves, too. */
const NOTIFY_MS = 5_000

/** What changed of a run. */
export interface Change {
  /** The run ended, or asks a person. */
  readonly isUrgent: boolean
  /** Its row may have changed, not its session alone. */
  readonly ofRow: boolean
  readonly end?: KeyedEnd
}

/** How the turn of a message ended. */
export interface KeyedEnd extends AttemptEnd {
  readonly key: string
}

/** What is worth a look. */
export type Heard = Pick<Change, 'ofRow' | 'end'>

/** Rings for one who waits; a ring while nobody waits is heard by the next wait. */
export class Bell {
  #rung = false
  #isUrgent = false
  #ofRow = false
  #end: KeyedEnd | undefined
  #wake: (() => void) | undefined

  ring({ isUrgent, ofRow, end }: Change): void {
    this.#rung = true
    this.#isUrgent ||= isUrgent
    this.#ofRow ||= ofRow
    this.#end = end ?? this.#end
    this.#wake?.()
  }

  /**
   * Resolves at once where it rang since the last time, on the next ring, or after `ms`, when
   * everything may have changed.
   *
   * @param restMs for so long only what is urgent is heard
   */
  async wait(ms: number, restMs: number, signal: AbortSignal): Promise<Heard> {
    await this.#until(() => this.#isUrgent, restMs, signal)
    await this.#until(() => this.#rung, ms - restMs, signal)
    const heard = { ofRow: this.#ofRow || !this.#rung, ...(this.#end && { end: this.#end }) }
    this.#rung = false
    this.#isUrgent = false
    this.#ofRow = false
    this.#end = undefined
    return heard
  }

  async #until(isThere: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || isThere()) return
    const woken = new AbortController()
    this.#wake = () => {
      if (isThere()) woken.abort()
    }
    await sleep(ms, AbortSignal.any([woken.signal, signal]))
    this.#wake = undefined
  }
}

const ANYTHING: Change = { isUrgent: true, ofRow: true }

/** Tells whoever waits for a run that something of it changed, on every instance. */
export class RunNews {
  readonly #database: Database
  readonly #bells = new Map<string, Set<Bell>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Listens to other instances. @returns what ends it */
  listen(): () => void {
    return this.#database.listen(CHANNEL, (payload) => {
      const [tenant = '', session = ''] = payload.split(' ')
      this.ring({ tenant: tenantId(tenant), session: sessionId(session) }, ANYTHING)
    })
  }

  /** Tells those in this process. */
  ring(ref: SessionRef, change: Change): void {
    for (const bell of this.#bells.get(keyOf(ref)) ?? []) bell.ring(change)
  }

  /** Tells everybody. Whoever cannot be told looks by themselves a little later. */
  async tell(ref: SessionRef): Promise<void> {
    this.ring(ref, ANYTHING)
    const payload = keyOf(ref)
    await this.#database.notify(CHANNEL, payload, AbortSignal.timeout(NOTIFY_MS))
  }

  /** Rings the bell when something changes. @returns what ends that */
  add(ref: SessionRef, bell: Bell): () => void {
    const key = keyOf(ref)
    const all = this.#bells.get(key) ?? new Set()
    this.#bells.set(key, all.add(bell))
    return () => {
      all.delete(bell)
      if (all.size === 0 && this.#bells.get(key) === all) this.#bells.delete(key)
    }
  }
}

const keyOf = ({ tenant, session }: SessionRef): string => `${tenant} ${session}`
