import {
  type AuditDraft,
  type Clock,
  type Failure,
  type JsonObject,
  type Logger,
  ok,
  type Result,
  sleep,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { CheckpointCopy } from './checkpoint-copy.ts'
import { CheckpointFile } from './checkpoint-file.ts'
import { FINDINGS } from './findings.ts'
import type { Head } from './line.ts'
import { readSeal, type SealedHead, sealOf } from './seal.ts'
import { Signer } from './signer.ts'

/** ms between two checkpoints at the least, and after a line at the most. */
const APART_MS = 750
/** ms that the first line after a rest waits for others. */
const GATHER_MS = 100
const RETRY_MS = 150
/** Chains in one checkpoint. */
const MOST_AT_ONCE = 2_000
const CLOSE_MS = 5_000

export interface SealingOptions {
  /** Where checkpoints are kept. */
  readonly folder: string
  /** Where they are kept a second time. */
  readonly copies: string | undefined
  /** Private key in PEM; one is kept in the folder where it is left out. */
  readonly key: () => string | undefined
  /** This process is the only one that uses the database. */
  readonly exclusive: boolean
  readonly clock: Clock
  readonly log: Logger
}

interface Opened {
  readonly signer: Signer
  readonly file: CheckpointFile
  readonly copy: CheckpointCopy | undefined
}

/**
 * Signs the heads of chains as they move, and writes checkpoints of them soon after. Files are
 * created only when there is something to sign.
 */
export class Sealing {
  readonly #options: SealingOptions
  readonly #unsigned = new Map<TenantId, Head>()
  /** Hashes of heads that an earlier release has left, which sealed none. */
  readonly #earlier = new Map<TenantId, string>()
  #opened: Opened | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Another process adds a checkpoint right now. */
  #isBusy = false
  #signedAt = Number.NEGATIVE_INFINITY
  #shipping: Promise<void> | undefined
  readonly #problems = new Map<'checkpoints' | 'copy', Failure>()

  constructor(options: SealingOptions) {
    this.#options = options
  }

  /** Why checkpoints, or copies of them, cannot be written now. */
  get problem(): Failure | undefined {
    return [...this.#problems.values()][0]
  }

  open(): Result<Opened, Failure> {
    if (this.#opened) return ok(this.#opened)
    const { folder, copies, key } = this.#options
    const signer = Signer.open(folder, key())
    if (!signer.ok) return signer
    const file = new CheckpointFile(signer.value)
    this.#opened = {
      signer: signer.value,
      file,
      copy: copies === undefined ? undefined : new CheckpointCopy(file.file, copies, signer.value),
    }
    return ok(this.#opened)
  }

  /** The seal of a head, kept with its lines. */
  seal(tenant: TenantId, head: Head): Result<string, Failure> {
    const opened = this.open()
    return opened.ok
      ? ok(
          sealOf(
            opened.value.signer,
            tenant,
            head,
            opened.value.file.seq,
            this.#options.clock.now(),
          ),
        )
      : opened
  }

  /**
   * Takes heads that nobody has sealed for those of a release that sealed none: once, while no
   * head is sealed and this folder has no checkpoint of a release that seals. Any later one is a
   * finding.
   *
   * @returns lines that say so, one for each chain: with the next line all heads are sealed
   */
  upgrade(heads: ReadonlyMap<TenantId, SealedHead>): readonly AuditDraft[] {
    const opened = this.open()
    if (!opened.ok || opened.value.file.isChained) return []
    if ([...heads.values()].some(({ seal }) => seal !== undefined)) return []
    for (const [tenant, { n, hash }] of heads) if (n > 0) this.#earlier.set(tenant, hash)
    if (this.#earlier.size > 0)
      this.#options.log.info('audit.upgraded', { chains: this.#earlier.size })
    return [...heads].flatMap(([tenant, head]) =>
      this.#earlier.has(tenant) ? this.examine(tenant, head, undefined) : [],
    )
  }

  /**
   * Checks a head that another process has written.
   *
   * @param known where this process saw the chain end last
   * @returns what is wrong with it, as lines that go into the chain with whatever comes next
   */
  examine(tenant: TenantId, head: SealedHead, known: Head | undefined): readonly AuditDraft[] {
    const opened = this.open()
    if (!opened.ok) return []
    const isEarlier = this.#earlier.get(tenant) === head.hash
    const found = (kind: string, data: JsonObject): readonly AuditDraft[] => {
      if (!isEarlier) this.#options.log.error('audit.tampered', { tenant, finding: kind, ...data })
      // The hash of the head makes the key one that no earlier line has: a key that is there
      // already adds nothing, so that a second finding, or one whose key somebody has put into a
      // line before, would not be written down.
      const key = `${kind}:${head.n}:${head.hash}`
      return [{ tenant, kind, key, at: this.#options.clock.now(), data }]
    }
    if (known && head.n < known.n) return found(FINDINGS.shortened, { had: known.n, has: head.n })
    if (head.n === 0) return []
    const seal = readSeal(tenant, head)
    if (!seal) return found(FINDINGS.unsealed, { n: head.n, upgrade: isEarlier })
    const { signer, file } = opened.value
    if (!signer.knows(seal.key))
      return found(FINDINGS.unknownSigner, { n: head.n, signer: seal.key })
    const isAlone = this.#options.exclusive
    if (seal.writer !== signer.writer)
      return isAlone
        ? found(FINDINGS.checkpointsMissing, {
            n: head.n,
            writer: seal.writer,
            had: seal.seq,
            has: 0,
          })
        : []
    if (seal.process === signer.process) this.count(tenant, head)
    if (seal.seq <= file.seq) return []
    file.refresh()
    return seal.seq <= file.seq
      ? []
      : found(FINDINGS.checkpointsMissing, {
          n: head.n,
          writer: seal.writer,
          had: seal.seq,
          has: file.seq,
        })
  }

  /** The head is in no checkpoint yet. */
  count(tenant: TenantId, { n, hash }: Head): void {
    const before = this.#unsigned.get(tenant)
    if (!before || before.n < n) this.#unsigned.set(tenant, { n, hash })
    this.#arm(GATHER_MS)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const end = timeLimit(CLOSE_MS, 'signing the audit log')
    while (this.#unsigned.size > 0 && !end.aborted && (this.#sign() || this.#isBusy))
      await sleep(5, end)
    await this.#shipping
    while (!(await this.#ship()) && !this.#problems.has('copy') && !end.aborted)
      await sleep(20, end)
    clearTimeout(this.#timer)
  }

  #arm(least: number): void {
    if (this.#timer !== undefined || this.#unsigned.size === 0) return
    const wait = Math.max(least, this.#signedAt + APART_MS - this.#options.clock.monotonic())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sign()
      this.#arm(this.#isBusy || this.#problems.has('checkpoints') ? RETRY_MS : GATHER_MS)
      this.#shipping ??= this.#ship()
        .then(() => undefined)
        .finally(() => {
          this.#shipping = undefined
        })
    }, wait)
    this.#timer.unref()
  }

  #sign(): boolean {
    const opened = this.open()
    const heads = new Map([...this.#unsigned].slice(0, MOST_AT_ONCE))
    const added = opened.ok ? opened.value.file.add(heads, this.#options.clock.now()) : opened
    this.#isBusy = !added.ok && added.error.code === 'RATE_LIMITED'
    if (this.#isBusy || !this.#report('checkpoints', added)) return false
    this.#signedAt = this.#options.clock.monotonic()
    for (const [tenant, { n }] of heads)
      if (this.#unsigned.get(tenant)?.n === n) this.#unsigned.delete(tenant)
    return true
  }

  /** @returns false where the copy may be behind */
  async #ship(): Promise<boolean> {
    const copy = this.#opened?.copy
    if (!copy) return true
    const shipped = await copy.ship(this.#options.clock.now())
    // A copy in progress may have begun before the last checkpoint. The next checkpoint, or
    // closing, copies again.
    return !shipped.ok && shipped.error.code === 'RATE_LIMITED'
      ? false
      : this.#report('copy', shipped)
  }

  /** Logged once, and again only after a success: otherwise a full disk would fill the log. */
  #report(what: 'checkpoints' | 'copy', done: Result<unknown, Failure>): boolean {
    if (done.ok) this.#problems.delete(what)
    else {
      if (this.#problems.get(what)?.message !== done.error.message)
        this.#options.log.error('audit.checkpoint_failed', {
          code: done.error.code,
          message: done.error.message,
        })
      this.#problems.set(what, done.error)
    }
    return done.ok
  }
}
