import { keyOf } from '@amodal/sdk/stores'
import { randomUUID } from 'node:crypto'
import {
  isObject,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Lease,
  type Logger,
  type Result,
  type StoreDefinition,
  type StoreWrite,
  type StoreWriteOutcome,
  sleep,
} from '@amodal/sdk'
import { deadLettersOf, lettersOf, type Letter } from './dead-letters.ts'
import { danglingRefs, nameOf, refsOf, type OpenStore } from './refs.ts'
import { misfits } from './shape.ts'

/** The options of a write. */
export interface Writing {
  readonly open: OpenStore
  /** All stores of the agent, to which documents may refer. */
  readonly stores: readonly StoreDefinition[]
  /** All of them or none. */
  readonly atomic: boolean
  /** Idempotency key: a repeated write changes nothing and returns the first outcome. */
  readonly callKey?: string
  /** Digest of the request made under that key. */
  readonly requestDigest?: string
  readonly trace?: JsonObject
  /** Each document is written only if it stands at this version (0: it must not exist). */
  readonly ifVersion?: number
  /** Documents that are given up are dropped: they are dead letters already. */
  readonly isLetter?: boolean
  /** Of the session that it is done for. */
  readonly lease?: Lease
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * A document that was not stored: by its place where it does not fit, by its key where the store
 * refused it.
 */
export type Refused =
  | { readonly index: number; readonly error: string }
  | { readonly key: string; readonly error: string }

export interface Written {
  readonly stored: readonly (StoreWriteOutcome & { readonly stored: true })[]
  readonly refused: readonly Refused[]
}

interface Candidate {
  readonly index: number
  readonly key: string
  readonly payload: JsonObject
}
interface Sorted {
  readonly fitting: readonly Candidate[]
  readonly refused: readonly { readonly index: number; readonly error: string }[]
}

/**
 * Writes documents that match their schema and whose references exist. A failed write is retried as
 * the store's `failure` says; documents that are given up go to its dead letters if configured.
 */
export async function writeDocuments(
  store: StoreDefinition,
  documents: readonly Json[],
  writing: Writing,
): Promise<Result<Written, Failure>> {
  const { atomic } = writing
  const { ifVersion, isLetter = false } = writing
  const deadLetter = store.failure?.deadLetter === true && !isLetter
  const sorted = await withoutDangling(store, checked(store, documents), writing)
  if (!sorted.ok) return sorted
  const { fitting, refused } = sorted.value
  if (refused.length > 0 && atomic) return ok({ stored: [], refused })
  const callKey =
    writing.callKey ?? (store.failure?.retries === undefined ? undefined : randomUUID())
  const writes = fitting.map(({ key, payload }): StoreWrite => ({
    key,
    payload,
    ...(ifVersion !== undefined && { ifVersion }),
    ...(writing.trace && { trace: writing.trace }),
  }))
  const options = {
    atomic,
    ...(callKey !== undefined && { callKey }),
    ...(writing.requestDigest !== undefined && { requestDigest: writing.requestDigest }),
    ...(writing.lease && { lease: writing.lease }),
  }
  const attempt = async () =>
    flat(
      await writing.open(store, (backend) => backend.write(store, writes, options, writing.signal)),
    )
  const written = writes.length === 0 ? ok([]) : await withRetries(store, writing, attempt)
  if (deadLetter) {
    const lost = written.ok
      ? []
      : fitting.map(({ index }) => ({ index, error: written.error.message }))
    await keep(
      store,
      [...refused, ...lost].map(({ index, error }) => ({
        document: documents[index] ?? null,
        error,
      })),
      callKey ?? randomUUID(),
      writing,
    )
  }
  if (!written.ok) return written
  const stored = written.value.filter((one) => one.stored)
  return ok({
    stored,
    refused: [
      ...refused,
      ...written.value.flatMap((one) => (one.stored ? [] : [{ key: one.key, error: one.error }])),
    ],
  })
}

function checked(store: StoreDefinition, documents: readonly Json[]): Sorted {
  const fitting: Candidate[] = []
  const refused: { readonly index: number; readonly error: string }[] = []
  documents.forEach((payload, index) => {
    const problems = isObject(payload) ? misfits(store, payload) : ['must be an object']
    if (isObject(payload) && problems.length === 0)
      fitting.push({ index, key: keyOf(store, payload) ?? '', payload })
    else refused.push({ index, error: problems.join('; ') })
  })
  return { fitting, refused }
}

/** Removes documents whose references are neither stored nor in this batch. */
async function withoutDangling(
  store: StoreDefinition,
  { fitting, refused }: Sorted,
  { stores, open, signal }: Writing,
): Promise<Result<Sorted, Failure>> {
  const refs = new Map(fitting.map((one) => [one, refsOf(store, one.payload)]))
  const dangling = await danglingRefs([...refs.values()].flat(), stores, open, signal)
  if (!dangling.ok) return dangling
  let left = fitting
  const out: { readonly index: number; readonly error: string }[] = []
  for (let before = -1; before !== left.length;) {
    before = left.length
    const here = new Set(left.map(({ key }) => nameOf({ store: store.name, key })))
    left = left.filter((one) => {
      const lost =
        refs.get(one)?.filter((ref) => dangling.value.has(nameOf(ref)) && !here.has(nameOf(ref))) ??
        []
      if (lost.length > 0)
        out.push({
          index: one.index,
          error: lost
            .map((ref) => `${ref.path}: there is no document "${ref.key}" in ${ref.store}`)
            .join('; '),
        })
      return lost.length === 0
    })
  }
  return ok({ fitting: left, refused: [...refused, ...out].sort((a, b) => a.index - b.index) })
}

const flat = <T>(result: Result<Result<T, Failure>, Failure>): Result<T, Failure> =>
  result.ok ? result.value : result

/** SQLSTATE classes that a retry cannot fix: data, constraints and syntax. */
const isForGood = ({ details }: Failure): boolean =>
  typeof details?.['sqlstate'] === 'string' && /^(22|23|42)/.test(details['sqlstate'])
const FIRST_MS = 200
const LONGEST_MS = 5_000

/** Every attempt uses the same key, so that one whose response was lost counts once. */
async function withRetries<T>(
  { name, failure }: StoreDefinition,
  { log, signal }: Writing,
  attempt: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const { retries = 0, backoff = 'fixed' } = failure ?? {}
  for (let tries = 1; ; tries += 1) {
    const done = await attempt()
    if (done.ok || tries > retries || signal.aborted || isForGood(done.error)) return done
    log.warn('stores.write_retried', {
      store: name,
      tries,
      code: done.error.code,
      message: done.error.message,
    })
    await sleep(
      Math.min(LONGEST_MS, backoff === 'exponential' ? FIRST_MS * 2 ** (tries - 1) : FIRST_MS),
      signal,
    )
    if (signal.aborted) return done
  }
}

async function keep(
  store: StoreDefinition,
  letters: readonly Letter[],
  key: string,
  { open, log, signal }: Writing,
): Promise<void> {
  if (letters.length === 0) return
  const dead = deadLettersOf(store)
  const kept = flat(
    await open(dead, (backend) =>
      backend.write(
        dead,
        lettersOf(letters, key),
        { atomic: false, callKey: `${key}:dead` },
        signal,
      ),
    ),
  )
  if (!kept.ok)
    log.error('stores.dead_letters_lost', {
      store: store.name,
      documents: letters.length,
      code: kept.error.code,
      message: kept.error.message,
    })
}
