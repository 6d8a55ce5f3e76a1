import { setTimeout as sleep } from 'node:timers/promises'
import type { Person, Turn } from './person.ts'
import type { Deed } from './plan.ts'
import type { Random } from '../support/random.ts'
import { SCENARIOS } from './scenarios.ts'

const MIXED: readonly [Deed, ...Deed[]] = [{ steps: [] }, ...Object.values(SCENARIOS)]

export interface CrowdOptions {
  readonly sessions: number
  /** Turns that every session has at least. */
  readonly turns: number
  /** ms between two turns of a session, at most. */
  readonly restMs: number
  /** What is asked for. */
  readonly deeds?: readonly [Deed, ...Deed[]]
  /** Done beside each turn. */
  readonly beside?: (turn: Turn, random: Random) => void
}

/**
 * Many people, each in a session of their own, who send one message after the other, and sometimes
 * two at once.
 */
export class Crowd {
  readonly #person: Person
  readonly #options: CrowdOptions
  readonly #sessions: Promise<readonly Turn[]>[]
  readonly #watchers = new Set<() => void>()
  readonly #turns: Turn[] = []
  #stopping = false

  constructor(person: Person, random: Random, options: CrowdOptions) {
    this.#person = person
    this.#options = options
    this.#sessions = Array.from({ length: options.sessions }, (_, index) =>
      this.#talk(`s${index + 1}`, random.branch(`session ${index + 1}`)),
    )
    for (const session of this.#sessions) session.catch(() => undefined) // told by `stop`
  }

  /** Resolves when so many more events have reached anybody. */
  async hears(events: number): Promise<void> {
    const count = (): number => this.#turns.reduce((sum, turn) => sum + turn.events.length, 0)
    const wanted = count() + events
    const heard = Promise.withResolvers<void>()
    const look = (): void => {
      if (count() >= wanted) heard.resolve()
    }
    this.#watchers.add(look)
    look()
    await heard.promise
    this.#watchers.delete(look)
  }

  /**
   * No new messages; resolves when every turn is over, with the turns of each session in the order
   * they were sent.
   */
  async stop(): Promise<readonly (readonly Turn[])[]> {
    this.#stopping = true
    return Promise.all(this.#sessions)
  }

  async #talk(name: string, random: Random): Promise<readonly Turn[]> {
    const { deeds = MIXED, beside } = this.#options
    const turns: Turn[] = []
    const send = (session: string | undefined): Turn => {
      const plan = { marker: `${name}-${turns.length + 1}`, ...random.pick(deeds) }
      const turn = this.#person.send(plan, session === undefined ? {} : { session })
      turns.push(turn)
      this.#turns.push(turn)
      beside?.(turn, random.branch(plan.marker))
      turn.onEvent(() => {
        for (const look of this.#watchers) look()
      })
      return turn
    }
    await send(undefined).over
    while (!this.#stopping || turns.length < this.#options.turns) {
      await sleep(random.within(0, this.#options.restMs))
      const session = turns[0]?.session
      const first = send(session)
      if (random.chance(0.2)) {
        // Once the first one is kept, so that it is known which of the two that is.
        await Promise.race([first.until((events) => events.length > 0), first.over])
        await send(session).over
      }
      await first.over
    }
    return turns
  }
}
