import { type Clock, type Logger, sleep, type TenantId, timeLimit } from '@amodal/sdk'
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

interface Around {
  readonly chains: DatabaseChains
  readonly sealing: Sealing
  readonly exclusive: boolean
  readonly clock: Clock
  readonly log: Logger
}

/**
 * What a process left behind that died: lines without a checkpoint. Looked for once, before the
 * first line of this process.
 */
export class Recovery {
  readonly #around: Around
  readonly #life = new AbortController()
  #looked: Promise<unknown> | undefined
  #reported: Promise<unknown> | undefined

  constructor(around: Around) {
    this.#around = around
  }

  /** The store, adding nothing before the look is over. */
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
    const uncovered = uncoveredChains(this.#around, timeLimit(LOOK_MS, 'looking at the audit log'))
    this.#looked = uncovered.then(() => undefined)
    this.#reported = uncovered.then((found) => this.#report(found, trail))
  }

  /** What is still to be said is said at once. */
  async end(): Promise<void> {
    this.#life.abort()
    await this.#reported
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
        key: `${FINDINGS.uncovered}:${head.n}`,
        at: clock.now(),
        data,
      })
    }
  }
}

/** Chains whose end this folder has sealed, and never signed a checkpoint of. */
async function uncoveredChains(
  { chains, sealing }: Around,
  signal: AbortSignal,
): Promise<ReadonlyMap<TenantId, Uncovered>> {
  const found = new Map<TenantId, Uncovered>()
  const heads = await chains.heads(signal)
  if (!heads.ok || ![...heads.value.values()].some(({ seal }) => seal !== undefined)) return found
  const opened = sealing.open()
  if (!opened.ok) return found
  const { signer, file } = opened.value
  file.refresh()
  for (const [tenant, head] of heads.value) {
    if (head.n === 0 || !head.seal?.includes(signer.writer)) continue
    const seal = readSeal(tenant, head)
    if (
      !seal ||
      seal.writer !== signer.writer ||
      seal.seq < file.seq - ON_THEIR_WAY ||
      seal.seq > file.seq
    )
      continue
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
