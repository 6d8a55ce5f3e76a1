import { assertLease, keyedWrite } from '@amodal/sdk/database'
import {
  ok,
  principalId,
  type Failure,
  type Lease,
  type PrincipalId,
  type Result,
  type Row,
  type TenantDatabase,
} from '@amodal/sdk'
import type { Memory, MemoryDraft, MemoryOrigin, MemoryStore, Noted } from './tokens.ts'

/** Notes in the database: the connection itself lets no row of another tenant through. */
export class DatabaseMemory implements MemoryStore {
  readonly #database: TenantDatabase
  readonly #owner: string
  readonly #notedBy: PrincipalId
  readonly #limit: number

  /** @param owner whose notes these are; empty: the tenant's */
  constructor(database: TenantDatabase, owner: string, notedBy: PrincipalId, limit: number) {
    this.#database = database
    this.#owner = owner
    this.#notedBy = notedBy
    this.#limit = limit
  }

  add(
    { id, text, origin }: MemoryDraft,
    signal: AbortSignal,
    lease?: Lease,
  ): Promise<Result<Noted, Failure>> {
    return keyedWrite(
      (again) =>
        this.#database.transaction(async (run): Promise<Noted> => {
          // Writers of one owner come one after the other: the limit holds, and no text is there
          // twice.
          await run({
            sql: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
            parameters: [`memory:${this.#owner}`],
          })
          const rows = await run({
            sql: 'select id, text = $2 as same from memory_note where owner = $1 order by text = $2 desc, id = $3 desc',
            parameters: [this.#owner, text, id],
          })
          const known = rows.find((row) => row['same'] === true || row['id'] === id)
          if (known)
            return { kind: again && known['id'] === id ? 'kept' : 'known', id: String(known['id']) }
          if (rows.length >= this.#limit) return { kind: 'full', limit: this.#limit }
          await run({
            sql: 'insert into memory_note(owner, id, text, origin, noted_by) values ($1, $2, $3, $4::jsonb, $5)',
            parameters: [this.#owner, id, text, JSON.stringify(origin), this.#notedBy],
          })
          assertLease(lease)
          return { kind: 'kept', id }
        }, signal),
      signal,
    )
  }

  async list(signal: AbortSignal): Promise<Result<readonly Memory[], Failure>> {
    const rows = await this.#database.run(
      {
        sql: 'select id, text, origin, noted_by, at from memory_note where owner = $1 order by at, id',
        parameters: [this.#owner],
      },
      signal,
    )
    return rows.ok ? ok(rows.value.map(memoryOf)) : rows
  }

  remove(id: string, signal: AbortSignal, lease?: Lease): Promise<Result<boolean, Failure>> {
    return keyedWrite(
      (again) =>
        this.#database.transaction(async (run) => {
          const rows = await run({
            sql: 'delete from memory_note where owner = $1 and id = $2 returning 1 as one',
            parameters: [this.#owner, id],
          })
          assertLease(lease)
          return rows.length > 0 || again
        }, signal),
      signal,
    )
  }

  async clear(signal: AbortSignal): Promise<Result<number, Failure>> {
    const rows = await keyedWrite(
      () =>
        this.#database.run(
          {
            sql: 'delete from memory_note where owner = $1 returning 1 as one',
            parameters: [this.#owner],
          },
          signal,
        ),
      signal,
    )
    return rows.ok ? ok(rows.value.length) : rows
  }
}

function memoryOf(row: Row): Memory {
  const at = row['at']
  return {
    id: String(row['id']),
    text: String(row['text']),
    notedBy: principalId(String(row['noted_by'])),
    origin: row['origin'] as MemoryOrigin, // written by this class
    at: (at instanceof Date ? at : new Date(String(at))).toISOString(),
  }
}
