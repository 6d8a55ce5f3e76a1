import { assertLease, keyedWrite, runIn, runQuery, type Selectable } from '@amodal/sdk/database'
import {
  ok,
  principalId,
  type Failure,
  type Lease,
  type PrincipalId,
  type Result,
  type TenantDatabase,
} from '@amodal/sdk'
import { fullOf } from './full.ts'
import type { MemoryLimits } from './settings.ts'
import { ADD, CLEAR, LIKE, LIST, LOCK, REMOVE } from './statements.ts'
import type { Tables } from './tables.ts'
import type { Memory, MemoryDraft, MemoryStore, AddOutcome } from './tokens.ts'

/** Notes in the database, which row security limits to the tenant. */
export class DatabaseMemory implements MemoryStore {
  readonly #database: TenantDatabase
  readonly #owner: string
  readonly #notedBy: PrincipalId
  readonly #limits: () => MemoryLimits

  /** @param owner whose notes these are; empty: the tenant's */
  constructor(
    database: TenantDatabase,
    owner: string,
    notedBy: PrincipalId,
    limits: () => MemoryLimits,
  ) {
    this.#database = database
    this.#owner = owner
    this.#notedBy = notedBy
    this.#limits = limits
  }

  add(
    { id, text, origin }: MemoryDraft,
    signal: AbortSignal,
    lease?: Lease,
  ): Promise<Result<AddOutcome, Failure>> {
    return keyedWrite(
      (isRetry) =>
        this.#database.transaction(async (run): Promise<AddOutcome> => {
          // Serialises the writers of one owner, so that neither the limit nor uniqueness is
          // violated.
          const owner = this.#owner
          await runIn(run, LOCK({ owner }))
          const rows = await runIn(run, LIKE({ owner, text, id }))
          const known = rows.find((row) => row.same === true || row.id === id)
          if (known) return { kind: isRetry && known.id === id ? 'kept' : 'known', id: known.id }
          const lengths = rows.map(({ chars }) => Number(chars))
          const full = fullOf(lengths, text.length, this.#limits())
          if (full) return full
          const note = { owner, id, text, origin: JSON.stringify(origin), notedBy: this.#notedBy }
          await runIn(run, ADD(note))
          assertLease(lease)
          return { kind: 'kept', id }
        }, signal),
      signal,
    )
  }

  async list(signal: AbortSignal): Promise<Result<readonly Memory[], Failure>> {
    const rows = await runQuery(this.#database, LIST({ owner: this.#owner }), signal)
    return rows.ok ? ok(rows.value.map(memoryOf)) : rows
  }

  remove(id: string, signal: AbortSignal, lease?: Lease): Promise<Result<boolean, Failure>> {
    return keyedWrite(
      (isRetry) =>
        this.#database.transaction(async (run) => {
          const rows = await runIn(run, REMOVE({ owner: this.#owner, id }))
          assertLease(lease)
          return rows.length > 0 || isRetry
        }, signal),
      signal,
    )
  }

  async clear(signal: AbortSignal): Promise<Result<number, Failure>> {
    const rows = await keyedWrite(
      () => runQuery(this.#database, CLEAR({ owner: this.#owner }), signal),
      signal,
    )
    return rows.ok ? ok(rows.value.length) : rows
  }
}

const memoryOf = ({
  id,
  text,
  noted_by: notedBy,
  origin,
  at,
}: Omit<Selectable<Tables['memory_note']>, 'tenant' | 'owner'>): Memory => ({
  id,
  text,
  notedBy: principalId(notedBy),
  origin,
  at: at.toISOString(),
})
