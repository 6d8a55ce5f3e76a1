import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { err, failure, type Failure, messageOf, ok, type Result, sha256 } from '@amodal/sdk'
import {
  CHECKPOINTS,
  type Checkpoint,
  checkpointLine,
  FIRST,
  readCheckpoint,
} from './checkpoint.ts'
import type { Head } from './line.ts'
import { acquireLock } from './lock.ts'
import type { Signer } from './signer.ts'

const BLOCK = 64 * 1024
const NEWLINE = 10
/** ms after which a lock is stale: its process died while it wrote a line. */
const STALE_MS = 5_000

/**
 * The checkpoints that this folder adds to: a line for each, and each follows the one before.
 * Processes may share it.
 */
export class CheckpointFile {
  readonly file: string
  readonly #signer: Signer
  /** Bytes of the file when its end was read. */
  #size = -1
  #seq = 0
  #previous = FIRST
  #isChained = false

  constructor(signer: Signer) {
    this.#signer = signer
    this.file = join(signer.folder, CHECKPOINTS)
  }

  /** The newest checkpoint that this process knows of. */
  get seq(): number {
    if (this.#size < 0) this.refresh()
    return this.#seq
  }

  /** Whether a release that seals the heads of chains has added a checkpoint. */
  get isChained(): boolean {
    this.refresh()
    return this.#isChained
  }

  /** Adds a checkpoint. `RATE_LIMITED`: another process is adding one right now. */
  add(heads: ReadonlyMap<string, Head>, now: number): Result<void, Failure> {
    const locked = acquireLock(`${this.file}.lock`, STALE_MS, now)
    if (!locked.ok)
      return err(failure('RATE_LIMITED', `another process adds to ${this.file}: ${locked.error}`))
    try {
      this.#mend()
      this.refresh()
      const line = checkpointLine(
        this.#signer,
        { seq: this.#seq + 1, previous: this.#previous },
        heads,
        now,
      )
      appendFileSync(this.file, `${line}\n`, { mode: 0o600 })
      this.#size += Buffer.byteLength(line) + 1
      this.#seq++
      this.#previous = sha256(line)
      this.#isChained = true
      return ok(undefined)
    } catch (cause) {
      this.#size = -1
      return err(
        failure(
          'UNREADABLE',
          `a checkpoint of the audit log cannot be added to ${this.file}: ${messageOf(cause)}`,
        ),
      )
    } finally {
      locked.value()
    }
  }

  /** Reads the end of the file again if another process has changed it. */
  refresh(): void {
    const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0
    if (size === this.#size) return
    const [last] = this.#fromEnd(size)
    this.#size = size
    this.#previous = last === undefined ? FIRST : sha256(last)
    const link = last === undefined ? undefined : readCheckpoint(last)?.checkpoint.link
    this.#isChained = link !== undefined
    this.#seq = link?.seq ?? [...this.#fromEnd(size)].length
  }

  /** Newest first. */
  *newest(): Generator<Checkpoint> {
    this.refresh()
    for (const line of this.#fromEnd(this.#size)) {
      const read = readCheckpoint(line)
      if (read) yield read.checkpoint
    }
  }

  /** The whole lines, the last one first. */
  *#fromEnd(size: number): Generator<string> {
    let tail = Buffer.alloc(0)
    let isWhole = false
    for (const block of blocksFromEnd(this.file, size)) {
      tail = Buffer.concat([block.bytes, tail])
      for (;;) {
        const end = isWhole ? tail.length - 1 : tail.lastIndexOf(NEWLINE)
        if (end < 0) break
        const begin = end === 0 ? 0 : tail.lastIndexOf(NEWLINE, end - 1) + 1
        if (begin === 0 && block.at > 0) break
        yield tail.toString('utf8', begin, end)
        tail = tail.subarray(0, begin)
        isWhole = true
      }
    }
  }

  /** Truncates a line that was only partly written because the machine stopped. */
  #mend(): void {
    const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0
    for (const { at, bytes } of blocksFromEnd(this.file, size)) {
      const end = bytes.lastIndexOf(NEWLINE)
      if (end < 0 && at > 0) continue
      if (at + end + 1 < size) truncateSync(this.file, at + end + 1)
      return
    }
  }
}

function* blocksFromEnd(
  file: string,
  size: number,
): Generator<{ readonly at: number; readonly bytes: Buffer }> {
  if (size === 0) return
  const descriptor = openSync(file, 'r')
  try {
    for (let at = size; at > 0;) {
      const bytes = Buffer.alloc(Math.min(BLOCK, at))
      at -= bytes.length
      readSync(descriptor, bytes, 0, bytes.length, at)
      yield { at, bytes }
    }
  } finally {
    closeSync(descriptor)
  }
}
