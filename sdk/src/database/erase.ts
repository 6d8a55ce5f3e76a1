import { err, ok, type Failure, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'
import type { Database } from '../ports/database.ts'
import type { ErasedSession, Eraser, ErasureRequest } from '../ports/eraser.ts'

/** What was erased, or would be, by the names of erasers. */
export interface ErasureFigures {
  readonly sessions: number
  readonly parts: readonly {
    readonly name: string
    readonly removed: number
    readonly unknown: number
  }[]
  readonly tables: readonly string[]
}

/**
 * Takes all of it out, or nothing: one transaction, which is rolled back where only the figures are
 * wanted.
 */
export async function eraseContent(
  database: Database,
  erasers: ReadonlyMap<string, Eraser>,
  request: ErasureRequest,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<Result<ErasureFigures, Failure>> {
  let figures: ErasureFigures | undefined
  const done = await database.transaction(async (run): Promise<Result<ErasureFigures, Failure>> => {
    const named: ErasedSession[] = []
    for (const eraser of erasers.values()) {
      const own = await eraser.sessions?.(request, run)
      if (own && !own.ok) return own
      named.push(...(own?.value ?? []))
    }
    const sessions = eachOnce(named)
    const parts: ErasureFigures['parts'][number][] = []
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

/**
 * After it was committed: copies outside of the database. Erasers remember what they have erased
 * last, so no other erasure of this process begins before this has ended.
 */
export async function eraseCopies(
  erasers: ReadonlyMap<string, Eraser>,
): Promise<Result<void, Failure>> {
  for (const eraser of erasers.values()) {
    const erased = await eraser.erased?.()
    if (erased && !erased.ok) return erased
  }
  return ok(undefined)
}
