import { appendFile, mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { err, failure, type Failure, messageOf, ok, type Result } from '@amodal/sdk'
import { acquireLock } from './lock.ts'
import { addSigner, type Signer } from './signer.ts'

const STALE_MS = 60_000
/**
 * Bytes at the end of a copy that are compared. Each line holds the hash of the one before, so the
 * last one says enough.
 */
const COMPARED = 16 * 1024

/**
 * A file of checkpoints kept in a second folder as well: the same bytes, added as they are added to
 * the first.
 */
export class CheckpointCopy {
  readonly #from: string
  readonly #folder: string
  readonly #signer: Signer
  /** Bytes of the copy that are known to be the same. */
  #same = -1

  constructor(from: string, folder: string, signer: Signer) {
    this.#from = from
    this.#folder = folder
    this.#signer = signer
  }

  /** Appends what the copy lacks. Returns an `Err` if it cannot be written or has other content. */
  async ship(now: number): Promise<Result<void, Failure>> {
    const locked = acquireLock(`${this.#from}.copy.lock`, STALE_MS, now)
    if (!locked.ok) return err(failure('RATE_LIMITED', `another process copies ${this.#from}`))
    const to = join(this.#folder, `${this.#signer.writer}.jsonl`)
    try {
      if (this.#same < 0) await this.#open()
      const [have, want] = [await sizeOf(to), await sizeOf(this.#from)]
      if (have !== this.#same && !(await isBeginning(to, this.#from, have, want))) {
        return err(
          failure(
            'UNREADABLE',
            `${to} is not a copy of ${this.#from}: one of the two was changed; keep both, and see \`amodal ops audit verify\``,
          ),
        )
      }
      if (want > have)
        await appendFile(to, await bytesOf(this.#from, have, want - have), { mode: 0o600 })
      this.#same = want
      return ok(undefined)
    } catch (cause) {
      this.#same = -1
      return err(
        failure(
          'UNREADABLE',
          `checkpoints of the audit log cannot be copied to ${this.#folder}: ${messageOf(cause)}`,
        ),
      )
    } finally {
      locked.value()
    }
  }

  async #open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    addSigner(this.#folder, this.#signer.key)
  }
}

async function isBeginning(copy: string, of: string, have: number, want: number): Promise<boolean> {
  if (have > want) return false
  const length = Math.min(have, COMPARED)
  return (
    length === 0 ||
    (await bytesOf(copy, have - length, length)).equals(await bytesOf(of, have - length, length))
  )
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return 0
    throw cause
  }
}

async function bytesOf(file: string, at: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await handle.read(bytes, 0, length, at)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
