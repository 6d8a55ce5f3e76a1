import {
  type Database,
  err,
  type ErasedSession,
  type Eraser,
  type ErasureRequest,
  failure,
  type Failure,
  ok,
  type Result,
} from '@amodal/sdk'

/** What was erased, or would be, by the names of erasers. */
export interface Summary {
  readonly sessions: number
  readonly parts: readonly {
    readonly name: string
    readonly removed: number
    readonly unknown: number
  }[]
  readonly tables: readonly string[]
}

type Named = ReadonlyMap<string, Eraser>

/**
 * Takes all of it out, or nothing: one transaction, which is rolled back where only the figures are
 * wanted.
 */
export async function erase(
  database: Database,
  erasers: Named,
  request: ErasureRequest,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<Result<Summary, Failure>> {
  let figures: Summary | undefined
  const done = await database.transaction(async (run): Promise<Result<Summary, Failure>> => {
    const named: ErasedSession[] = []
    for (const eraser of erasers.values()) {
      const own = await eraser.sessions?.(request, run)
      if (own && !own.ok) return own
      named.push(...(own?.value ?? []))
    }
    const sessions = eachOnce(named)
    const parts: Summary['parts'][number][] = []
    const tables: string[] = []
    for (const [name, eraser] of erasers) {
      const erased = await eraser.erase({ ...request, sessions }, run)
      if (!erased.ok) return erased
      parts.push({ name, removed: erased.value.removed, unknown: erased.value.unknown })
      tables.push(...erased.value.tables)
    }
    figures = { sessions: sessions.length, parts, tables }
    return dryRun ? err(failure('CANCELLED', 'only the figures were asked for')) : ok(figures)
  }, signal)
  if (dryRun && figures) return ok(figures)
  return done.ok ? done.value : done
}

/** Several erasers may know of one session: each of some of its runs. */
function eachOnce(named: readonly ErasedSession[]): readonly ErasedSession[] {
  const known = Map.groupBy(named, ({ tenant, session }) => JSON.stringify([tenant, session]))
  return [...known.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, runs: [...new Set([first, ...others].flatMap(({ runs }) => runs))] }] : [],
  )
}

/** After it was committed: bytes of rows that are gone, and copies outside of the database. */
export async function cleanUp(
  database: Database,
  erasers: Named,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  for (const eraser of erasers.values()) {
    const erased = await eraser.erased?.()
    if (erased && !erased.ok) return erased
  }
  return (await database.purge?.(tables, signal)) ?? ok(undefined)
}
