import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { z } from 'zod'
import { err, messageOf, ok, type Failure, type Result } from '@amodal/sdk'
import { BackupRefused } from '../errors.ts'
import { Checksum, FORMAT, Header, RowLine, TableEnd, TableStart } from './format.ts'

export type BackupRow = readonly (string | null)[]

/** What a backup holds, in the order of the file. */
export type BackupPart =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'table'; readonly start: TableStart }
  | { readonly kind: 'row'; readonly row: BackupRow; readonly characters: number }
  | { readonly kind: 'end'; readonly end: TableEnd }

/** Thrown by {@link readBackup}: the file cannot be trusted. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup'
  readonly failure: Failure

  constructor(file: string, why: string, cause?: unknown) {
    const failure = BackupRefused(`the backup ${file} ${why}`, { cause })
    super(failure.message, { cause })
    this.failure = failure
  }
}

/**
 * Reads a backup part by part. It ends only behind a checksum that fits.
 *
 * @throws UnusableBackup where the file is cut off, was changed, or is no backup
 */
export async function* readBackup(file: string, signal: AbortSignal): AsyncGenerator<BackupPart> {
  const reader = new BackupReader(file)
  for await (const line of linesOf(file, signal)) {
    const part = reader.read(line)
    if (part) yield part
  }
  reader.finish()
}

/** Reads a whole backup, to find out whether it can be restored. */
export async function checkBackup(
  file: string,
  signal: AbortSignal,
): Promise<Result<Header, Failure>> {
  let header: Header | undefined
  try {
    for await (const part of readBackup(file, signal))
      if (part.kind === 'header') header = part.header
    return header ? ok(header) : err(new UnusableBackup(file, 'is empty').failure)
  } catch (cause) {
    if (cause instanceof UnusableBackup) return err(cause.failure)
    throw cause
  }
}

/** Follows the lines of a file and what they must add up to. */
class BackupReader {
  readonly #file: string
  readonly #all = createHash('sha256')
  #rows: Hash | undefined
  #header: Header | undefined
  /** Tables that are complete. */
  #complete = 0
  #table: TableStart | undefined
  #count = 0
  #isComplete = false

  constructor(file: string) {
    this.#file = file
  }

  /** `undefined` for the last line. */
  read(line: string): BackupPart | undefined {
    if (this.#isComplete) throw this.#refused('goes on behind its checksum')
    const value = this.#json(line)
    if (!this.#header) return this.#begin(line, value)
    if (this.#table) return Array.isArray(value) ? this.#row(line, value) : this.#end(line, value)
    const start = TableStart.safeParse(value)
    if (start.success) return this.#start(line, start.data)
    const { checksum } = this.#parse(Checksum, value)
    if (checksum !== this.#all.digest('hex'))
      throw this.#refused('was changed: its checksum does not fit')
    this.#isComplete = true
    return undefined
  }

  finish(): void {
    if (!this.#isComplete) throw this.#refused('is cut off')
    const tables = this.#header?.tables.length ?? 0
    if (this.#complete !== tables)
      throw this.#refused(`holds ${this.#complete} tables and lists ${tables}`)
  }

  #begin(line: string, value: unknown): BackupPart {
    const header = this.#parse(Header, value)
    if (header.format !== FORMAT)
      throw this.#refused(
        `has format ${header.format}, made by release ${header.runtime}, and this release reads format ${FORMAT}`,
      )
    this.#header = header
    this.#all.update(`${line}\n`)
    return { kind: 'header', header }
  }

  #start(line: string, start: TableStart): BackupPart {
    const expected = this.#header?.tables[this.#complete]?.name
    if (start.table !== expected) throw this.#refused(`has the table ${start.table} out of order`)
    this.#table = start
    this.#rows = createHash('sha256')
    this.#count = 0
    this.#all.update(`${line}\n`)
    return { kind: 'table', start }
  }

  #row(line: string, value: readonly unknown[]): BackupPart {
    const row = this.#parse(RowLine, value)
    if (row.length !== this.#table?.columns.length)
      throw this.#refused(`has a row of ${row.length} values in ${this.#table?.table}`)
    this.#count++
    this.#all.update(`${line}\n`)
    this.#rows?.update(`${line}\n`)
    return { kind: 'row', row, characters: line.length }
  }

  #end(line: string, value: unknown): BackupPart {
    const end = this.#parse(TableEnd, value)
    const listed = this.#header?.tables[this.#complete]
    const isIntact =
      end.end === this.#table?.table &&
      end.rows === this.#count &&
      end.rows === listed?.rows &&
      end.sha256 === this.#rows?.digest('hex')
    if (!isIntact) throw this.#refused(`was changed: the rows of ${this.#table?.table} do not fit`)
    this.#table = undefined
    this.#complete++
    this.#all.update(`${line}\n`)
    return { kind: 'end', end }
  }

  #json(line: string): unknown {
    try {
      return JSON.parse(line)
    } catch (cause) {
      throw this.#refused('is no backup, or was changed', cause)
    }
  }

  #parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw this.#refused('is no backup, or was changed', parsed.error)
  }

  #refused(why: string, cause?: unknown): UnusableBackup {
    return new UnusableBackup(this.#file, why, cause)
  }
}

/** The lines of a gzip file. A line that does not end is none. */
async function* linesOf(file: string, signal: AbortSignal): AsyncGenerator<string> {
  const bytes = createReadStream(file, { signal })
  const text = createGunzip().setEncoding('utf8')
  bytes.on('error', (cause) => text.destroy(cause)).pipe(text)
  let pending: string[] = []
  try {
    for await (const chunk of text) {
      const lines = String(chunk).split('\n')
      const rest = lines.pop() ?? ''
      for (const line of lines) {
        yield pending.length > 0 ? [...pending, line].join('') : line
        pending = []
      }
      if (rest !== '') pending.push(rest)
    }
  } catch (cause) {
    if (signal.aborted || cause instanceof UnusableBackup) throw cause
    throw new UnusableBackup(file, `cannot be read: ${messageOf(cause)}`, cause)
  } finally {
    bytes.destroy()
  }
  if (pending.length > 0) throw new UnusableBackup(file, 'is cut off')
}
