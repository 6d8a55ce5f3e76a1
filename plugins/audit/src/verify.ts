import { err, type Failure, ok, type Result, sleep, tenantId, type TenantId } from '@amodal/sdk'
import { ChainWalk } from './chain-walk.ts'
import type { CheckpointSet } from './checkpoint-set.ts'
import { readFiled, textLines } from './line-file.ts'
import { readSeal, type SealedHead } from './seal.ts'
import type { ChainStore } from './store.ts'

/**
 * What a check of one chain came to. `problems` name the line at fault; the first one is where
 * trust ends.
 */
export interface Verdict {
  readonly tenant: TenantId
  readonly lines: number
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

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
 * Walks a chain from its first line, and holds it against its sealed head and the checkpoints. What
 * a server is writing meanwhile is waited for.
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
    if (end === undefined) break
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
  return ok({ tenant, lines: walk.lines, problems: walk.problems, notes: walk.notes })
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
  return {
    verdicts: [...walks.values()].map(({ tenant, lines, problems: own, notes }) => ({
      tenant,
      lines,
      problems: own,
      notes,
    })),
    problems,
  }
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

/**
 * What is wrong with the end of a chain. `mayChange`: a server that is adding to it would look the
 * same.
 */
function endProblem(
  { tenant, end }: ChainWalk,
  head: SealedHead,
  set: CheckpointSet,
): { readonly problem: string; readonly mayChange: boolean } | undefined {
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
  if (head.n === 0) return undefined
  const signed = [...(set.signed.get(tenant)?.values() ?? [])].flat()
  // Chains that no release has added to since heads are sealed.
  if (head.seal === undefined && !signed.some(({ isChained }) => isChained)) return undefined
  const seal = readSeal(tenant, head)
  if (!seal)
    return {
      problem: `the head of the chain, line ${head.n}, is not sealed: it was changed by somebody without the key`,
      mayChange: false,
    }
  if (!set.signers.has(seal.key))
    return {
      problem: `the head of the chain, line ${head.n}, is sealed by a key that is not known: ${seal.key}. Of several instances, give the folder of each with --checkpoints, or one AMODAL_AUDIT_KEY to all`,
      mayChange: false,
    }
  const seq = set.writers.get(seal.writer)
  if (seq === undefined && seal.seq > 0)
    return {
      problem: `line ${head.n} was added by an instance whose checkpoints are not here (${seal.writer}): give its folder with --checkpoints`,
      mayChange: false,
    }
  if (seq !== undefined && seq < seal.seq)
    return {
      problem: `checkpoint ${seal.seq} was there when line ${head.n} was added, and the checkpoints end at ${seq}: they were cut`,
      mayChange: true,
    }
  if (last < end.n) {
    return {
      problem: `line${last + 1 === end.n ? ` ${end.n} is` : `s ${last + 1} to ${end.n} are`} in no checkpoint: checkpoints were cut, or the server was killed and has not been started since. A start covers them, and says in the log how many they were`,
      mayChange: true,
    }
  }
  return undefined
}

function lastSigned({ signed }: CheckpointSet, tenant: TenantId): number {
  let last = 0
  for (const n of signed.get(tenant)?.keys() ?? []) if (n > last) last = n
  return last
}
