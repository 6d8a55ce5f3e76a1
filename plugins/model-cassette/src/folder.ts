import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { err, failure, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import type { RecordedRequest } from './request.ts'
import { isSame, read, written, type Line, type Tape } from './tape.ts'

/** Of the key, in a file's name. */
const DIGITS = 16
const ENDING = '.jsonl'
/** Files that are searched for a similar request after a miss. */
const MOST = 2_000

/** The recordings of one folder, a file for each request. */
export class CassetteFolder {
  readonly path: string
  /** Takes that were recorded, and played, since the start. */
  readonly #recorded = new Map<string, number>()
  readonly #played = new Map<string, number>()
  /** The recording of a request before its first call was recorded anew. */
  readonly #before = new Map<string, Tape['takes']>()
  /** Serialises writes: calls with the same request may run concurrently. */
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  /** The recording of a request; `undefined` if there is none, or a failure if it is unreadable. */
  async find(key: string): Promise<Result<Tape | undefined, Failure>> {
    await this.#writing
    return this.#read(fileOf(key))
  }

  /** The takes of a request, one after the other, and then from the first again. */
  next({ key, takes }: Tape): readonly Line[] {
    const n = this.#played.get(key) ?? 0
    this.#played.set(key, n + 1)
    return takes[n % takes.length] ?? []
  }

  /** Those that can be read. */
  async all(): Promise<readonly Tape[]> {
    const names = await tryAsync(
      () => readdir(this.path),
      () => undefined,
    )
    if (!names.ok) return []
    const tapes = await Promise.all(
      names.value
        .filter((name) => name.endsWith(ENDING))
        .sort()
        .slice(0, MOST)
        .map((name) => this.#read(name)),
    )
    return tapes.flatMap((one) => (one.ok && one.value ? [one.value] : []))
  }

  /**
   * Records one more call of a request. The first one since the start replaces the old recording.
   *
   * @param made the lines of take `n`, counted from 1
   */
  keep(
    key: string,
    asked: RecordedRequest,
    made: (n: number) => readonly Line[],
  ): Promise<Result<void, Failure>> {
    const kept = this.#writing.then(() =>
      tryAsync(
        async () => {
          const n = (this.#recorded.get(key) ?? 0) + 1
          const lines = made(n)
          const found = await this.#read(fileOf(key))
          const there = found.ok ? (found.value?.takes ?? []) : []
          if (n === 1) this.#before.set(key, there)
          const before = this.#before.get(key)?.[n - 1]
          // What says the same as before stays as it was, times included: the file changes where
          // the model does.
          await this.#write({
            key,
            asked,
            takes: [...there.slice(0, n - 1), isSame(before, lines) ? before : lines],
          })
          this.#recorded.set(key, n)
        },
        (cause) =>
          failure(
            'UNREADABLE',
            `${join(this.path, fileOf(key))} cannot be written: ${messageOf(cause)}`,
          ),
      ),
    )
    this.#writing = kept.then(() => undefined)
    return kept
  }

  async #read(name: string): Promise<Result<Tape | undefined, Failure>> {
    const path = join(this.path, name)
    const text = await tryAsync(
      () => readFile(path, 'utf8'),
      (cause) => cause,
    )
    if (text.ok) return read(text.value, path)
    const isMissing =
      text.error instanceof Error && 'code' in text.error && text.error.code === 'ENOENT'
    return isMissing
      ? ok(undefined)
      : err(failure('UNREADABLE', `${path} cannot be read: ${messageOf(text.error)}`))
  }

  async #write(tape: Tape): Promise<void> {
    await mkdir(this.path, { recursive: true })
    const path = join(this.path, fileOf(tape.key))
    const beside = `${path}.${randomUUID()}.tmp`
    try {
      await writeFile(beside, written(tape))
      await rename(beside, path)
    } finally {
      await rm(beside, { force: true })
    }
  }
}

export const fileOf = (key: string): string => `${key.slice(0, DIGITS)}${ENDING}`
