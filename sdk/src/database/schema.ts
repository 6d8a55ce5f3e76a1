import { ok, type Failure, type Generation, type Result } from '@amodal/kernel'
import { MigrationHolds, Migrations, type MigrationList } from '../ports/database.ts'
import { migrate, type Migrated, type MigrationTarget } from './migrate.ts'

export type MigrationLists = ReadonlyMap<string, MigrationList>

const NONE: MigrationLists = new Map()

/**
 * The migrations that opening a database applies: none while `MigrationHolds` has an entry.
 *
 * @param generation of the wiring that uses the database
 * @example
 * const lists = migrationsToApply(generation())
 */
export const migrationsToApply = (generation: Pick<Generation, 'registry'>): MigrationLists =>
  generation.registry(MigrationHolds).size > 0 ? NONE : generation.registry(Migrations)

/**
 * Keeps a database at the migrations of the wiring that uses it. A reload that brings new lists is
 * noticed at the next statement; while nothing changed, asking costs a comparison of two
 * references.
 */
export class Schema {
  readonly #lists: () => MigrationLists
  readonly #target: MigrationTarget
  readonly #migrated: (done: Migrated) => void
  readonly #life: AbortSignal
  #at: MigrationLists | undefined
  #running:
    | { readonly lists: MigrationLists; readonly done: Promise<Result<void, Failure>> }
    | undefined

  /**
   * @param lists the registry of the current generation: the same map until it changes
   * @param migrated called with what was applied
   * @param life ends an attempt when the database closes; a caller that gives up does not
   */
  constructor(
    lists: () => MigrationLists,
    target: MigrationTarget,
    migrated: (done: Migrated) => void,
    life: AbortSignal,
  ) {
    this.#lists = lists
    this.#target = target
    this.#migrated = migrated
    this.#life = life
  }

  /** Nothing is left to do. */
  get current(): boolean {
    return this.#at === this.#lists()
  }

  /**
   * Migrates if necessary; concurrent callers share one attempt. After a failed attempt the next
   * caller starts a new one.
   */
  async ensure(): Promise<Result<void, Failure>> {
    const lists = this.#lists()
    if (this.#at === lists) return ok(undefined)
    if (this.#running?.lists !== lists) {
      const running = { lists, done: this.#migrate(lists) }
      this.#running = running
      void running.done.then(() => {
        if (this.#running === running) this.#running = undefined
      })
    }
    return this.#running.done
  }

  async #migrate(lists: MigrationLists): Promise<Result<void, Failure>> {
    const done = await migrate(this.#target, [...lists.values()], this.#life)
    if (!done.ok) return done
    this.#at = lists
    this.#migrated(done.value)
    return ok(undefined)
  }
}
