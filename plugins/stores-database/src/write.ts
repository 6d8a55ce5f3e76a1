import type {
  JsonObject,
  Row,
  Statement,
  StoreDefinition,
  StoreWrite,
  StoreWriteOutcome,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ttlOf } from '@amodal/sdk/stores'
import {
  CLEAR_VALUES,
  FORGET_VERSIONS,
  KEEP_VERSIONS,
  LOCK_KEYS,
  PUT,
  PUT_VALUES,
  VERSIONS,
} from './statements.ts'

/** Statements of one transaction, as one tenant. */
export type Run = (statement: Statement) => Promise<readonly Row[]>

/** A document as it will stand. */
interface Next {
  readonly key: string
  readonly version: number
  readonly payload: JsonObject
  readonly trace: JsonObject | null
  readonly ttl: number | null
}

/**
 * The plan for a list of writes: outcomes in its order, the final documents, and the intermediate
 * versions.
 */
interface Planned {
  readonly outcomes: readonly StoreWriteOutcome[]
  readonly last: readonly Next[]
  readonly between: readonly Next[]
}

/**
 * Writes documents, however many, in a handful of statements. The keys are locked first and in
 * order, so that writers of the same documents come one after the other, none is lost, and two
 * batches that overlap do not wait for each other.
 */
export async function writeAll(
  run: Run,
  store: StoreDefinition,
  writes: readonly StoreWrite[],
  mayWrite: (outcomes: readonly StoreWriteOutcome[]) => boolean,
): Promise<readonly StoreWriteOutcome[]> {
  const keys = [...new Set(writes.map(({ key }) => key))].sort()
  await lockKeys(run, store, keys)
  const rows = await runIn(run, VERSIONS({ store: store.name, keys }))
  const { outcomes, last, between } = plan(
    store,
    writes,
    new Map(rows.map(({ key, version }) => [key, version])),
  )
  if (!mayWrite(outcomes)) return outcomes
  await keepHistory(run, store, last, between)
  await run(upsert(store, last))
  return outcomes
}

/** Documents and the values that they are found by, in one round trip. */
function upsert(store: StoreDefinition, last: readonly Next[]): Statement {
  const put = { store: store.name, documents: JSON.stringify(last) }
  const keys = last.map(({ key }) => key)
  return { ...PUT_VALUES(put), before: [PUT(put), CLEAR_VALUES({ store: store.name, keys })] }
}

/** Held until the end of the transaction. */
export async function lockKeys(
  run: Run,
  store: StoreDefinition,
  keys: readonly string[],
): Promise<void> {
  await runIn(run, LOCK_KEYS({ store: store.name, keys }))
}

function plan(
  store: StoreDefinition,
  writes: readonly StoreWrite[],
  versions: ReadonlyMap<string, number>,
): Planned {
  const last = new Map<string, Next>()
  const between: Next[] = []
  const outcomes = writes.map(({ key, payload, ifVersion, trace = null }): StoreWriteOutcome => {
    const before = last.get(key)
    const current = before?.version ?? versions.get(key) ?? 0
    if (ifVersion !== undefined && ifVersion !== current)
      return {
        key,
        stored: false,
        error: `the document stands at version ${current}, not ${ifVersion}`,
      }
    if (before) between.push(before)
    last.set(key, { key, version: current + 1, payload, trace, ttl: ttlOf(store, payload) ?? null })
    return {
      key,
      stored: true,
      version: current + 1,
      ...(current > 0 && { previousVersion: current }),
    }
  })
  return { outcomes, last: [...last.values()], between }
}

async function keepHistory(
  run: Run,
  store: StoreDefinition,
  last: readonly Next[],
  between: readonly Next[],
): Promise<void> {
  const keep = store.history?.versions ?? 0
  const replaced = last.filter(({ version }) => version > 1)
  if (keep === 0 || replaced.length === 0) return
  await runIn(
    run,
    KEEP_VERSIONS({
      store: store.name,
      keys: replaced.map(({ key }) => key),
      documents: JSON.stringify(between),
    }),
  )
  const documents = JSON.stringify(replaced.map(({ key, version }) => ({ key, version })))
  await runIn(run, FORGET_VERSIONS({ store: store.name, documents, keep }))
}
