import type { Failure, MigrationList, Result, Scope, TenantDatabase } from '@amodal/sdk'
import { err, ok } from '@amodal/sdk'
import { OfficeClosed } from './kinds.ts'

export interface Hours {
  readonly opens: number
  readonly closes: number
}

export interface Note {
  readonly key: string
  readonly hour: number
  readonly text: string
}

/** The database as the session or the run at hand sees it. */
export type DatabaseOf = (at: { readonly scope: Pick<Scope, 'get' | 'find'> }) => TenantDatabase

export const migrations: MigrationList = {
  plugin: 'office-hours',
  // the database itself shows each tenant their own rows alone
  tenantTables: ['office_hours_note'],
  migrations: [
    {
      name: 'notes',
      sql: `create table office_hours_note(
        tenant text not null default current_setting('amodal.tenant', true),
        key text not null, hour int not null, text text not null,
        primary key(tenant, key))`,
    },
  ],
}

export const isOpen = ({ opens, closes }: Hours, hour: number): boolean =>
  hour >= opens && hour < closes

/** Keeps a note; the same key again keeps it once. */
export async function leave(
  database: TenantDatabase,
  hours: Hours,
  { key, hour, text }: Note,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  if (!isOpen(hours, hour)) return err(OfficeClosed(`at ${hour}:00 the office is closed`))
  const written = await database.run(
    {
      sql: 'insert into office_hours_note(key, hour, text) values ($1, $2, $3) on conflict do nothing',
      parameters: [key, hour, text],
    },
    signal,
  )
  return written.ok ? ok(undefined) : written
}

export async function notes(
  database: TenantDatabase,
  signal: AbortSignal,
): Promise<Result<readonly Note[], Failure>> {
  const rows = await database.run(
    { sql: 'select key, hour, text from office_hours_note order by hour, key', parameters: [] },
    signal,
  )
  if (!rows.ok) return rows
  return ok(
    rows.value.map(({ key, hour, text }) => ({
      key: String(key),
      hour: Number(hour),
      text: String(text),
    })),
  )
}
