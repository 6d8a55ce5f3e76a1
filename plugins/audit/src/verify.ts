import { err, type Failure, ok, type Result, sleep, tenantId, type TenantId } from '@amodal/sdk'
import { ChainWalk } from './chain-walk.ts'
import type { CheckpointSet } from './checkpoint-set.ts'
import { readFiled, textLines } from './line-file.ts'
import { readSeal, type Seal, type SealedHead } from './seal.ts'
import type { ChainStore } from './store.ts'
import { type Verdict, verdictOf } from './verdict.ts'

const PAGE = 1_000
/** ms after a line until its checkpoint must be there, and between two looks. */
const SOON_MS = 2_000
const LOOK_MS = 250

export interface Verifying {
  readonly store: ChainStore
  /** Reads the checkpoints, again where a server may have added some. */
  readonly checkpoints: () => Promise<Result<CheckpointSet, Failure>>
  /** ms since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Walks a chain from its first line, and compares it with its sealed head and the checkpoints.
 * Retries while a server is writing.
 */
export async function verifyChain(
  { store, checkpoints, now, signal }: Verifying,
  tenant: TenantId,
  set: CheckpointSet,
): Promise<Result<Verdict, Failure>> {
  const walk = new ChainWalk(tenant)
  const until = now() + SOON_MS
  for (let known = set; ;) {
    const walked = await walkOn(walk, store, known, signal)
    if (!walked.ok) return walked
    const head = await store.head(tenant, signal)
    if (!head.ok) return err(head.error)
    const end = endProblem(walk, head.value, known)
    if (end === undefined) {
      walk.notes.push(...earlierNotes(head.value, known))
      break
    }
    const sealedAt = Date.parse(readSeal(tenant, head.value)?.at ?? '')
    if (!end.mayChange || now() >= until || !(now() - sealedAt < SOON_MS)) {
      walk.say(end.problem)
      break
    }
    await sleep(LOOK_MS, signal)
    const again = await checkpoints()
    if (!again.ok) return again
    known = again.value
  }
  walk.finish()
  return ok(verdictOf(walk))
}

/** The same for a file of lines: the one of `file`, or an export. */
export async function verifyFile(
  file: string,
  set: CheckpointSet,
): Promise<{ readonly verdicts: readonly Verdict[]; readonly problems: readonly string[] }> {
  const walks = new Map<string, ChainWalk>()
  const problems: string[] = []
  const walkOf = (tenant: string): ChainWalk => {
    const walk = walks.get(tenant) ?? new ChainWalk(tenantId(tenant))
    walks.set(tenant, walk)
    return walk
  }
  let at = 0
  for await (const { text, whole } of textLines(file)) {
    at++
    const line = readFiled(text)
    if (line && whole) walkOf(line.tenant).take(line, set)
    else problems.push(`line ${at} of ${file} cannot be read: it was changed or cut`)
  }
  for (const tenant of set.signed.keys()) walkOf(tenant)
  for (const walk of walks.values()) {
    walk.finish()
    const last = lastSigned(set, walk.tenant)
    if (last !== walk.end.n)
      walk.say(
        last > walk.end.n
          ? `line ${last} was signed, and the file ends at line ${walk.end.n}: it was cut`
          : `lines ${last + 1} to ${walk.end.n} are in no checkpoint`,
      )
  }
  return { verdicts: [...walks.values()].map(verdictOf), problems }
}

async function walkOn(
  walk: ChainWalk,
  store: ChainStore,
  set: CheckpointSet,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  for (;;) {
    const page = await store.read(walk.tenant, { after: walk.end.n, limit: PAGE }, signal)
    if (!page.ok) return page
    for (const { n, key, session, body, hash } of page.value)
      walk.take({ n, body, hash, columns: { key, session } }, set)
    if (page.value.length < PAGE) return ok(undefined)
  }
}

interface EndProblem {
  readonly problem: string
  /** A server that is adding to the chain would look the same. */
  readonly mayChange: boolean
}

/** What is wrong with the end of a chain. */
function endProblem(
  { tenant, end }: ChainWalk,
  head: SealedHead,
  set: CheckpointSet,
): EndProblem | undefined {
  const last = lastSigned(set, tenant)
  if (last > end.n)
    return {
      problem: `line ${last} was signed, and the chain ends at line ${end.n}: it was cut`,
      mayChange: head.n > end.n || head.n >= last,
    }
  if (head.n !== end.n || head.hash !== end.hash)
    return {
      problem: `the chain ends at line ${end.n}, and its head is line ${head.n}: lines are missing at the end, or the head was changed`,
      mayChange: head.n > end.n,
    }
  if (head.n === 0 || isEarlier(head, set)) return undefined
  const seal = readSeal(tenant, head)
  return seal
    ? (sealProblem(head, seal, set) ?? uncoveredProblem(last, end.n))
    : {
        problem: `the head of the chain, line ${head.n}, is not sealed: it was changed without the key`,
        mayChange: false,
      }
}

/**
 * Of a release that sealed no heads, and no other has run since: its first start seals the heads of
 * all chains.
 */
const isEarlier = ({ seal }: SealedHead, { writers }: CheckpointSet): boolean =>
  seal === undefined && writers.size === 0

const earlierNotes = (head: SealedHead, set: CheckpointSet): readonly string[] =>
  head.n > 0 && isEarlier(head, set)
    ? [`lines up to ${head.n} are of a release that did not seal them: the next start does`]
    : []

function sealProblem(
  { n }: SealedHead,
  { key, writer, seq }: Seal,
  { signers, writers }: CheckpointSet,
): EndProblem | undefined {
  if (!signers.has(key))
    return {
      problem: `the head of the chain, line ${n}, is sealed by a key that is not known: ${key}. Of several instances, give the folder of each with --checkpoints, or one AMODAL_AUDIT_KEY to all`,
      mayChange: false,
    }
  const has = writers.get(writer)
  if (has === undefined && seq > 0)
    return {
      problem: `line ${n} was added by an instance whose checkpoints are not here (${writer}): give its folder with --checkpoints`,
      mayChange: false,
    }
  return has !== undefined && has < seq
    ? {
        problem: `checkpoint ${seq} was there when line ${n} was added, and the checkpoints end at ${has}: they were cut`,
        mayChange: true,
      }
    : undefined
}

const uncoveredProblem = (last: number, end: number): EndProblem | undefined =>
  last < end
    ? {
        problem: `line${last + 1 === end ? ` ${end} is` : `s ${last + 1} to ${end} are`} in no checkpoint: checkpoints were cut, or the server was killed and has not been started since. A start covers them, and says in the log how many they were`,
        mayChange: true,
      }
    : undefined

function lastSigned({ signed }: CheckpointSet, tenant: TenantId): number {
  let last = 0
  for (const n of signed.get(tenant)?.keys() ?? []) if (n > last) last = n
  return last
}
