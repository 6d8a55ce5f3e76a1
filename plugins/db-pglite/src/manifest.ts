import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { MANIFEST } from './folder.ts'

const PAGE = 8_192
const CONTROL = 'global/pg_control'
/** Bytes of a line that is replaced in its place: more than the longest there is. */
const LINE = 64
/** Made anew by Postgres when they are missing, or gone with the session that made them. */
const PASSING = /_(?:fsm|vm|init)$|^t\d+_|^pg_internal\.init|^pgsql_tmp|^pg_control$/
const ZEROS = crc32(new Uint8Array(PAGE))

/** Size, and CRC-32 of the first page. */
const Fingerprint = z.tuple([z.number(), z.number()]).readonly()
type Fingerprint = z.output<typeof Fingerprint>

/** The files of a database as they stood at some time. */
const Manifest = z
  .object({
    v: z.literal(1),
    /** The database was closed then, so that nothing may differ since. */
    clean: z.boolean(),
    /**
     * Its file `global/pg_control`, base64: 296 bytes that change with every start and every
     * checkpoint.
     */
    control: z.string(),
    files: z.record(z.string(), Fingerprint).readonly(),
  })
  .readonly()
export type Manifest = z.output<typeof Manifest>

/**
 * What has become of the files: `damage` in words; `suspects` may also have been dropped by the
 * database itself.
 */
export interface Comparison {
  readonly damage: readonly string[]
  readonly suspects: readonly string[]
}

/**
 * Bytes of `pg_control` that stay the same as long as the database lives: its identifier and the
 * versions of its format.
 */
const IDENTITY = 16
const CONTROL_BYTES = 296

/**
 * Where `pg_control` says at which position of the write-ahead log the latest checkpoint begins
 * (`ControlFileData` of Postgres 18).
 */
const REDO_OFFSET = 40

/**
 * Where the latest checkpoint begins: after a recovery that is where the log ended, and after a
 * clean stop as well.
 */
export function redoPosition(folder: string): bigint | undefined {
  const control = controlOf(folder)
  return control?.length === PAGE ? control.readBigUInt64LE(REDO_OFFSET) : undefined
}

const NOTHING: Comparison = { damage: [], suspects: [] }

/** Reads the first page of every file that holds data: 5 ms for a small database. */
export function manifestOf(folder: string, clean: boolean): Manifest {
  const files: Record<string, Fingerprint> = {}
  const page = Buffer.alloc(PAGE)
  for (const under of [
    ...listed(folder, 'base').map((name) => `base/${name}`),
    'global',
    'pg_xact',
  ]) {
    for (const name of listed(folder, under)) {
      const found = PASSING.test(name) ? undefined : fingerprint(join(folder, under, name), page)
      if (found) files[`${under}/${name}`] = found
    }
  }
  return {
    v: 1,
    clean,
    control: controlOf(folder)?.subarray(0, CONTROL_BYTES).toString('base64') ?? '',
    files,
  }
}

/** Compares the files with those of a manifest, before anything opens them. */
export function compare(folder: string, manifest: Manifest): Comparison {
  const control = controlOf(folder)
  const then = Buffer.from(manifest.control, 'base64')
  if (
    control?.length !== PAGE ||
    !control.subarray(0, IDENTITY).equals(then.subarray(0, IDENTITY))
  ) {
    return {
      damage: [control ? `${CONTROL} is not the file that it was` : `${CONTROL} is missing`],
      suspects: [],
    }
  }
  // Another program, or an older release, has opened the database since: what it did with the files
  // is not known.
  if (manifest.clean && !control.subarray(0, CONTROL_BYTES).equals(then)) return NOTHING
  const damage: string[] = []
  const suspects: string[] = []
  const page = Buffer.alloc(PAGE)
  for (const [path, [size, crc]] of Object.entries(manifest.files)) {
    const now = fingerprint(join(folder, path), page)
    // A file that was empty then may have grown, and what was written to it is in the write-ahead
    // log only.
    if (size >= PAGE && crc !== ZEROS && now && now[0] >= PAGE && now[1] === ZEROS)
      damage.push(`${path} is filled with zeros`)
    else if (!manifest.clean) {
      if (!now || now[0] < size) suspects.push(path)
    } else if (!now) damage.push(`${path} is missing`)
    else if (now[0] !== size) damage.push(`${path} has ${now[0]} bytes and had ${size}`)
    else if (now[1] !== crc) damage.push(`${path} was changed`)
  }
  return { damage, suspects }
}

export function readManifest(folder: string): Manifest | undefined {
  try {
    return Manifest.safeParse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))).data
  } catch {
    return undefined // a folder of an older release has none
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  replaceFile(join(folder, MANIFEST), JSON.stringify(manifest))
}

/** A reader, and a start after a kill, find the old text or the new one. */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/**
 * The same for one short line that changes twenty times a second, at a hundredth of the cost: it is
 * written over the old one, in the same block of the disk. A line is always as long as this, so
 * nothing of the old one is left behind it.
 */
export function replaceLine(file: string, line: string): void {
  const text = `${line.padEnd(LINE - 1)}\n`
  if (!existsSync(file)) return replaceFile(file, text)
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, text, 0)
  } finally {
    closeSync(descriptor)
  }
}

function controlOf(folder: string): Buffer | undefined {
  const file = join(folder, CONTROL)
  return existsSync(file) ? readFileSync(file) : undefined
}

function listed(folder: string, under: string): readonly string[] {
  return existsSync(join(folder, under)) ? readdirSync(join(folder, under)) : []
}

function fingerprint(file: string, page: Buffer): Fingerprint | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const { size } = fstatSync(descriptor)
    const read = readSync(descriptor, page, 0, PAGE, 0)
    return [size, crc32(page.subarray(0, read))]
  } catch {
    return undefined // it is not there, or is a folder
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
