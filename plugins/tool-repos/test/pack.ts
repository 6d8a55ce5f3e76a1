import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** Packs as git reads them, and as no git would write them. */

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
const REF_DELTA = 7

export interface StoredObject {
  readonly type: keyof typeof TYPES
  readonly data: Buffer
}

/** Instructions that make an object of one whose id is `base`. */
export interface Delta {
  readonly base: string
  readonly data: Buffer
}

export interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly id: string
}

export const sha1 = (data: Buffer): Buffer => createHash('sha1').update(data).digest()

export const idOf = ({ type, data }: StoredObject): string =>
  sha1(Buffer.concat([Buffer.from(`${type} ${data.byteLength}\0`), data])).toString('hex')

export const blob = (text: string | Buffer): StoredObject => ({
  type: 'blob',
  data: Buffer.from(text),
})

export const tree = (...entries: readonly TreeEntry[]): StoredObject => ({
  type: 'tree',
  data: Buffer.concat(
    entries.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(id, 'hex'),
    ]),
  ),
})

export const commit = (of: StoredObject): StoredObject => {
  const who = 'Anna <anna@example.com> 1700000000 +0000'
  const text = `tree ${idOf(of)}\nauthor ${who}\ncommitter ${who}\n\nA commit\n`
  return { type: 'commit', data: Buffer.from(text) }
}

/** The size of an object in a delta: seven bits in each byte, the lowest ones first. */
function sizeBytes(size: number): Buffer {
  const bytes: number[] = []
  for (let rest = size; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}

/** The header of an object: its type and size. */
function headerOf(type: number, size: number): Buffer {
  const low = (type << 4) | (size % 16)
  const rest = Math.floor(size / 16)
  return rest === 0
    ? Buffer.from([low])
    : Buffer.concat([Buffer.from([low | 0x80]), sizeBytes(rest)])
}

const COPIED = 0xff_ff_ff
/** Copies the first `COPIED` bytes of the base. */
const COPY = Buffer.from([0xf0, 0xff, 0xff, 0xff])

/**
 * A delta whose result is `copies` times the beginning of its base, and a number that makes it
 * another object.
 *
 * @param claimed bytes of the result, where the delta lies about them
 */
export function copies(
  base: { readonly id: string; readonly size: number },
  count: number,
  number: number,
  claimed?: number,
): Delta {
  const end = Buffer.alloc(4)
  end.writeUInt32BE(number)
  return {
    base: base.id,
    data: Buffer.concat([
      sizeBytes(base.size),
      sizeBytes(claimed ?? count * COPIED + end.byteLength),
      ...Array.from({ length: count }, () => COPY),
      Buffer.from([end.byteLength]),
      end,
    ]),
  }
}

/** An entry of a pack. @param size where its header lies about it */
export function entry(object: StoredObject | Delta, size = object.data.byteLength): Buffer {
  const packed = deflateSync(object.data)
  return 'base' in object
    ? Buffer.concat([headerOf(REF_DELTA, size), Buffer.from(object.base, 'hex'), packed])
    : Buffer.concat([headerOf(TYPES[object.type], size), packed])
}

/** @param count where the header of the pack lies about it */
export function pack(entries: readonly Buffer[], count = entries.length): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(count, 8)
  const all = Buffer.concat([header, ...entries])
  return Buffer.concat([all, sha1(all)])
}

export const packOf = (...objects: readonly (StoredObject | Delta)[]): Buffer =>
  pack(objects.map((object) => entry(object)))

/** A packet line. @param length where it lies about it */
export function line(text: string, length = Buffer.byteLength(text) + 4): Buffer {
  return Buffer.concat([Buffer.from(length.toString(16).padStart(4, '0')), Buffer.from(text)])
}
