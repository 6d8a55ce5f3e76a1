import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { err, failure, messageOf, ok, type Failure, type Logger, type Result } from '@amodal/sdk'
import { ACCEPT, type Damage, readDamage } from './damage.ts'
import type { Engine } from './engine.ts'
import { DAMAGE, damaged, folderState, KEPT_LOG, MANIFEST, PROGRESS } from './folder.ts'
import {
  compare,
  manifestOf,
  readManifest,
  redoPosition,
  replaceFile,
  replaceLine,
  writeManifest,
} from './manifest.ts'

/**
 * Position in the write-ahead log up to which everything was on its way to the disk: a log sequence
 * number, such as `0/92C110`.
 */
const Progress = z.object({ v: z.literal(1), lsn: z.string().regex(/^[0-9A-F]+\/[0-9A-F]+$/) })

const SEGMENT = /^[0-9A-F]{24}$/
const SEGMENT_BYTES = 1024n * 1024n

const FLUSHED = 'select pg_current_wal_flush_lsn()::text as lsn'
const PATHS =
  'select pg_relation_filepath(oid) as path from pg_class where pg_relation_filepath(oid) is not null'

/**
 * What is known of a database apart from the database: how far it had come, and which files it had.
 * A start compares, since Postgres itself takes a write-ahead log that breaks off for the end of
 * it, and a table without pages for an empty one. What it finds stays in `/health`, and nothing is
 * written, until the loss is accepted: a write could overwrite what can still be saved.
 */
export class FolderRecord {
  readonly #folder: string
  readonly #log: Logger
  #written: string | undefined
  #suspects: readonly string[] = []
  /** Damage was found, and may have been accepted since. */
  #found = false

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Before the folder is opened. `DATABASE_DAMAGED`: it must not be. */
  inspect(): Result<void, Failure> {
    const state = folderState(this.#folder)
    if (!state.ok) return state
    if (state.value.kind === 'empty') return ok(undefined)
    this.#found = readDamage(this.#folder) !== undefined
    const manifest = readManifest(this.#folder)
    const { damage, suspects } = manifest
      ? compare(this.#folder, manifest)
      : { damage: [], suspects: [] }
    if (damage.length > 0)
      return err(
        damaged(this.#folder, damage, {
          orElse: `, or remove ${MANIFEST} from it to accept the files as they are`,
        }),
      )
    this.#suspects = suspects
    // From here on the files change, and only what they lose is of interest.
    if (manifest?.clean === true) writeManifest(this.#folder, { ...manifest, clean: false })
    else this.#keepLog()
    return ok(undefined)
  }

  /** Right after the database was opened, before anything was written. */
  async opened(engine: Engine): Promise<void> {
    const now = redoPosition(this.#folder)
    const then = this.#progress()
    const behind = then !== undefined && now !== undefined && numberOf(then) > now
    const lost = behind
      ? [
          `it ends at ${lsnOf(now)} and had reached ${then}: the latest changes are lost. The write-ahead log as it was found is in ${KEPT_LOG}`,
        ]
      : []
    const gone = this.#suspects.length > 0 ? await this.#missing(engine) : []
    if (lost.length + gone.length > 0) this.report([...lost, ...gone])
    this.#found = readDamage(this.#folder) !== undefined
    // Until the loss is accepted, it is the only copy of what was lost.
    if (!behind && !this.#found)
      rmSync(join(this.#folder, KEPT_LOG), { recursive: true, force: true })
    this.#written = then
  }

  /** Notes how far the database has come. */
  async advance(engine: Engine): Promise<void> {
    const {
      rows: [row],
    } = await engine.batch([{ sql: FLUSHED, parameters: [] }])
    const lsn = String(row?.['lsn'])
    if (lsn === this.#written) return
    replaceLine(join(this.#folder, PROGRESS), JSON.stringify({ v: 1, lsn }))
    this.#written = lsn
  }

  /** Notes the files; `clean`: the database has been closed. */
  note(clean: boolean): void {
    writeManifest(this.#folder, manifestOf(this.#folder, clean))
  }

  /**
   * Files are about to become shorter: a process that dies meanwhile must not leave an old note.
   */
  forget(): void {
    rmSync(join(this.#folder, MANIFEST), { force: true })
  }

  /** Something is damaged that does not keep the database from serving. Reported once, and kept. */
  report(found: readonly string[]): void {
    const known = readDamage(this.#folder)?.damage ?? []
    const fresh = found.filter((one) => !known.includes(one))
    if (fresh.length === 0) return
    const damage: Damage = { v: 1, found: new Date().toISOString(), damage: [...known, ...fresh] }
    this.#log.error('database.damaged', { dataDir: this.#folder, damage: fresh })
    try {
      replaceFile(join(this.#folder, DAMAGE), `${JSON.stringify(damage, null, 2)}\n`)
      this.#found = true
    } catch (cause) {
      this.#log.error('database.damage_not_noted', { message: messageOf(cause) })
    }
  }

  /** The copy of an earlier write-ahead log, which may hold what was to be erased. */
  dropLog(): void {
    rmSync(join(this.#folder, KEPT_LOG), { recursive: true, force: true })
  }

  /** For `/health`. */
  problem(): string | undefined {
    const refusal = this.refusal()
    return refusal && `${refusal.code}: ${refusal.message}`
  }

  /** Why nothing may be written now; `undefined` where nothing is damaged, or it is accepted. */
  refusal(): Failure | undefined {
    if (!this.#found) return undefined
    const damage = readDamage(this.#folder)
    if (damage) return failure('DATABASE_DAMAGED', readOnlyText(this.#folder, damage.damage))
    this.#found = false
    this.#log.warn('database.loss_accepted', { dataDir: this.#folder })
    return undefined
  }

  /** Of the files that were there, those that the database still counts on. */
  async #missing(engine: Engine): Promise<readonly string[]> {
    const { rows } = await engine.batch([{ sql: PATHS, parameters: [] }])
    const live = new Set(rows.map(({ path }) => String(path)))
    return this.#suspects
      .filter((path) => live.has(path.replace(/\.\d+$/, '')))
      .map((path) => `${path} is missing or cut off`)
  }

  #progress(): string | undefined {
    try {
      return Progress.safeParse(JSON.parse(readFileSync(join(this.#folder, PROGRESS), 'utf8'))).data
        ?.lsn
    } catch {
      return undefined // a folder of an older release has none
    }
  }

  /** Recovery writes over what it cannot read. */
  #keepLog(): void {
    const then = this.#progress()
    const from = join(this.#folder, 'pg_wal')
    const to = join(this.#folder, KEPT_LOG)
    if (then === undefined || !existsSync(from) || existsSync(to)) return
    // What a recycled segment further on holds is old.
    const last = numberOf(then) / SEGMENT_BYTES + 1n
    for (const name of readdirSync(from)) {
      if (SEGMENT.test(name) && segmentOf(name) <= last) cpSync(join(from, name), join(to, name))
    }
  }
}

const readOnlyText = (folder: string, damage: readonly string[]): string =>
  `the database in ${folder} is damaged (${damage.join('; ')}), and is only read: restore a backup of the folder, or accept the loss with \`${ACCEPT}\``

function numberOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

const lsnOf = (position: bigint): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase()

/** Its place in the log: a name is timeline, high half and number within it, eight digits each. */
const segmentOf = (name: string): bigint =>
  BigInt(`0x${name.slice(8, 16)}`) * (2n ** 32n / SEGMENT_BYTES) + BigInt(`0x${name.slice(16)}`)
