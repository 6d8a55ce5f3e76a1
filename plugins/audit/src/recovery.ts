import {
  type AuditDraft,
  type Clock,
  type Logger,
  sleep,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import type { CheckpointFile } from './checkpoint-file.ts'
import type { DatabaseChains } from './database-store.ts'
import { FINDINGS } from './findings.ts'
import { readSeal, type SealedHead } from './seal.ts'
import type { Sealing } from './sealing.ts'
import type { ChainStore } from './store.ts'
import type { Trail } from './trail.ts'

/** Checkpoints that may have been made while the statement of a line was on its way. */
const ON_THEIR_WAY = 30
/** ms after which a process that lives has made its checkpoint. */
const SOON_MS = 3_000
const LOOK_MS = 10_000

/** The end of a chain that no checkpoint covers. */
interface Uncovered {
  readonly head: SealedHead
  readonly process: string
  readonly from: number
}

interface Looked {
  readonly uncovered: ReadonlyMap<TenantId, Uncovered>
  /** Lines for chains that an earlier release has left without a seal. */
  readonly upgraded: readonly AuditDraft[]
}

interface Around {
  readonly chains: DatabaseChains
  readonly sealing: Sealing
  readonly exclusive: boolean
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Finds lines without a checkpoint, which a process that died has left. Runs once, before the first
 * line of this process.
 */
export class Recovery {
  readonly #around: Around
  readonly #life = new AbortController()
  #looked: Promise<unknown> | undefined
  #reported: Promise<unknown> | undefined

  constructor(around: Around) {
    this.#around = around
  }

  /** The store; adding waits until recovery has finished. */
  first(store: ChainStore): ChainStore {
    return {
      append: async (tenant, drafts, signal) => {
        await this.#looked
        return store.append(tenant, drafts, signal)
      },
      read: (tenant, range, signal) => store.read(tenant, range, signal),
      head: (tenant, signal) => store.head(tenant, signal),
      tenants: (signal) => store.tenants(signal),
    }
  }

  begin(trail: Trail): void {
    if (this.#reported) return
    const looked = this.#look(timeLimit(LOOK_MS, 'looking at the audit log'))
    this.#looked = looked.then(() => undefined)
    this.#reported = looked.then(({ uncovered, upgraded }) => {
      for (const draft of upgraded) trail.record(draft)
      return this.#report(uncovered, trail)
    })
  }

  /** Resolves once every finding is queued for its chain. */
  async reported(): Promise<void> {
    await this.#reported
  }

  /** Queues the remaining findings at once. */
  async end(): Promise<void> {
    this.#life.abort()
    await this.#reported
  }

  async #look(signal: AbortSignal): Promise<Looked> {
    const { chains, sealing } = this.#around
    const heads = await chains.heads(signal)
    if (!heads.ok || heads.value.size === 0) return { uncovered: new Map(), upgraded: [] }
    const upgraded = sealing.upgrade(heads.value)
    return { uncovered: uncoveredChains(sealing, heads.value), upgraded }
  }

  /**
   * How many lines they are, in the chain itself and in the log. The line brings the checkpoint.
   */
  async #report(found: ReadonlyMap<TenantId, Uncovered>, trail: Trail): Promise<void> {
    const { sealing, exclusive, clock, log } = this.#around
    const opened = sealing.open()
    if (!opened.ok || found.size === 0) return
    // Another process that shares the folder may live, and sign its own.
    if (!exclusive) await sleep(SOON_MS, this.#life.signal)
    for (const [tenant, { head, process, from }] of found) {
      if (!exclusive && hasSigned(opened.value.file, tenant, head.n, process)) continue
      const data = { from, to: head.n, lines: head.n - from + 1 }
      log.warn('audit.uncovered', {
        tenant,
        ...data,
        message:
          'a process ended before the checkpoint of its last lines; the next one covers them',
      })
      trail.record({
        tenant,
        kind: FINDINGS.uncovered,
        key: `${FINDINGS.uncovered}:${head.n}:${head.hash}`,
        at: clock.now(),
        data,
      })
    }
  }
}

/** Chains whose end this folder has sealed, and never signed a checkpoint of. */
function uncoveredChains(
  sealing: Sealing,
  heads: ReadonlyMap<TenantId, SealedHead>,
): ReadonlyMap<TenantId, Uncovered> {
  const found = new Map<TenantId, Uncovered>()
  const opened = sealing.open()
  if (!opened.ok) return found
  const { signer, file } = opened.value
  file.refresh()
  for (const [tenant, head] of heads) {
    if (head.n === 0 || !head.seal?.includes(signer.writer)) continue
    const seal = readSeal(tenant, head)
    if (seal?.writer !== signer.writer) continue
    if (seal.seq < file.seq - ON_THEIR_WAY || seal.seq > file.seq) continue
    const covered = lastCovered(file, tenant)
    if (covered < head.n) found.set(tenant, { head, process: seal.process, from: covered + 1 })
  }
  return found
}

function lastCovered(file: CheckpointFile, tenant: TenantId): number {
  for (const { heads } of file.newest()) {
    const own = heads.find(([of]) => of === tenant)
    if (own) return own[1]
  }
  return 0
}

function hasSigned(file: CheckpointFile, tenant: TenantId, n: number, process: string): boolean {
  for (const { heads, link } of file.newest()) {
    const own = heads.find(([of]) => of === tenant)
    if (own && link?.process === process) return own[1] >= n
    if (own && own[1] < n) return false
  }
  return false
}
