import type { Readable } from './readable.ts'

/** A text that was found in an encoding, and where each of its characters is written. */
export interface Piece extends Readable {
  /** Whether more of it may come, behind the end of what was read. */
  readonly open: boolean
  /** Of its signs. */
  readonly bits: number
}

/** How texts are written with signs of so many bits each. */
interface Coding {
  readonly bits: number
  /** What a sign stands for, by its code. */
  readonly values: Uint8Array
  /** Signs after which bytes begin anew in the same way. */
  readonly cycle: number
  /** The bytes that end with a sign, by alignment. */
  readonly ahead: readonly Steps[]
  /** The bytes that begin with a sign, where signs are read from the end. */
  readonly back: readonly Steps[]
  /** All the ways in which a byte may begin. */
  readonly ways: readonly Way[]
}

interface Way {
  /** The sign, within a cycle, with which a byte begins. */
  readonly alignment: number
  /** Bits of a byte that stand before the first sign, and so are not known. */
  readonly missing: number
  /** The same where signs are read from the end. */
  readonly missingBack: number
}

/** By the place of a sign in its cycle: how far from the border of the window its byte stands. */
type Steps = readonly (Step | undefined)[]
interface Step {
  readonly shift: number
  /** Signs before this one that the byte takes, too. */ readonly others: number
}

/** A sign that may stand between those of an encoding; one that may not. */
const GAP = 254,
  STOP = 255
const NONE = -1
/** More signs than this between two of an encoding, and they do not belong together. */
const MOST_GAP = 16
/** Characters of a text that would be chance if they were fewer. */
const LEAST = 4
/** In base32, words are read as texts of fewer. */
const LEAST_BASE32 = 6

/** Signs after which whole bytes are complete, by the bits of a sign; 8 for base32. */
const CYCLES: Readonly<Record<number, number>> = { 4: 2, 6: 4 }

const codingOf = (
  bits: number,
  alphabet: string,
  {
    gaps,
    stops = '',
    same = {},
  }: {
    readonly gaps: (sign: string) => boolean
    readonly stops?: string
    readonly same?: Readonly<Record<string, string>>
  },
): Coding => {
  const values = Uint8Array.from({ length: 128 }, (_, code) => {
    const sign = String.fromCharCode(code)
    const value = alphabet.indexOf(same[sign] ?? sign)
    if (value >= 0) return value
    return !stops.includes(sign) && gaps(sign) ? GAP : STOP
  })
  const cycle = CYCLES[bits] ?? 8
  const noSteps = (): (Step | undefined)[][] => Array.from({ length: cycle }, () => [])
  const [ahead, back] = [noSteps(), noSteps()]
  const put = (steps: (Step | undefined)[] = [], place: number, shift: number): void => {
    steps[place % cycle] = { shift, others: Math.ceil((shift + 8) / bits) - 1 }
  }
  for (let phase = 0; phase < cycle; phase++) {
    const end = Math.floor(((phase + 1) * bits) / 8) * 8
    const begin = Math.ceil((phase * bits) / 8) * 8
    for (let alignment = 0; alignment < cycle; alignment++) {
      if (end > phase * bits) put(ahead[alignment], phase + alignment, (phase + 1) * bits - end)
      if (begin < (phase + 1) * bits)
        put(back[alignment], alignment - phase + cycle, begin - phase * bits)
    }
  }
  const ways = Array.from({ length: cycle }, (_, alignment) => ({
    alignment,
    missing: (((cycle - alignment) % cycle) * bits) % 8,
    missingBack: (8 - (((alignment + 1) * bits) % 8)) % 8,
  }))
  return { bits, values, cycle, ahead, back, ways }
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const SMALL = CAPITALS.toLowerCase()
const BASE64 = `${CAPITALS}${SMALL}0123456789+/`
const asCapitals = Object.fromEntries([...SMALL].map((sign) => [sign, sign.toUpperCase()]))
const isSign = (sign: string): boolean => !/[A-Za-z\d]/.test(sign)

/** In either alphabet (RFC 4648, sections 4 and 5). */
const base64 = codingOf(6, BASE64, { gaps: isSign, stops: '=', same: { '-': '+', _: '/' } })
/** Where those of its signs that are no letters only part the others. */
const lettersOnly = codingOf(6, BASE64.slice(0, -2), { gaps: isSign, stops: '=' })
const base32 = codingOf(5, `${CAPITALS}234567`, { gaps: isSign, stops: '=', same: asCapitals })
/** `0x`, `\x`, `\u`, `U+` and `h` stand between bytes. */
const hex = codingOf(4, '0123456789ABCDEF', {
  gaps: (sign) => isSign(sign) || /[xuh]/i.test(sign),
  same: asCapitals,
})
const binary = codingOf(1, '01', { gaps: (sign) => isSign(sign) || /b/i.test(sign) })

const JOINS = /[+/_-]/
const BITS = /[01]{7}/

type Add = (piece: Piece) => void

/** Who is told of what is shorter than a text has to be, and may go on behind the end. */
export interface AtEnd {
  readonly add: Add
  /** From so many characters on. */
  readonly always: (bits: number) => number
  /** With fewer, where one of its bytes is marked here. */
  readonly marked: Uint8Array
}

/**
 * Finds texts that are written in a text in base64, base32, hexadecimal or as bits, whatever stands
 * between the signs, wherever they begin and in which direction. Each sign is read a fixed number
 * of times.
 */
export class BitReader {
  // Kept for the next text: most are short, and there are many.
  #signs = new Uint8Array(256)
  #places = new Int32Array(256)

  /**
   * @param least characters that a text has to have
   * @param atEnd told of texts that have fewer so far and may go on
   */
  pieces(text: string, least: number, atEnd?: AtEnd): readonly Piece[] {
    const found: Piece[] = []
    const most = Math.max(LEAST, least)
    const add = (piece: Piece): void => {
      if (piece.text.length >= most) found.push(piece)
      else if (piece.open) atEnd?.add(piece)
    }
    for (const coding of [base64, hex]) this.#read(text, coding, most, atEnd, add)
    this.#read(text, base32, Math.max(most, LEAST_BASE32), atEnd, add)
    if (JOINS.test(text)) this.#read(text, lettersOnly, most, atEnd, add)
    if (BITS.test(text)) this.#read(text, binary, most, atEnd, add)
    return found
  }

  #read(text: string, coding: Coding, least: number, atEnd: AtEnd | undefined, add: Add): void {
    if (this.#signs.length < text.length) {
      this.#signs = new Uint8Array(text.length * 2)
      this.#places = new Int32Array(text.length * 2)
    }
    const [signs, places] = [this.#signs, this.#places]
    let count = 0
    let gap = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const value = code < 128 ? (coding.values[code] ?? STOP) : GAP
      if (value < GAP) {
        signs[count] = value
        places[count++] = at
        gap = 0
      } else if (
        coding.bits <= 4 &&
        value === GAP &&
        isPrefix(code) &&
        count > 0 &&
        places[count - 1] === at - 1 &&
        signs[count - 1] === 0
      ) {
        count-- // the 0 of `0x` and `0b`
        gap++
      } else if (value === STOP || ++gap > MOST_GAP) {
        if (count * coding.bits >= least * 8) this.#chain(coding, count, least, undefined, add)
        count = gap = 0
      }
    }
    const open = atEnd ?? UNMARKED
    if (count * coding.bits >= (atEnd ? 1 : least) * 8) this.#chain(coding, count, least, open, add)
  }

  /**
   * Signs that belong together, read from each of their first ones on: some bytes are text, and
   * most are none.
   */
  #chain(
    coding: Coding,
    count: number,
    least: number,
    atEnd: Pick<AtEnd, 'always' | 'marked'> | undefined,
    add: Add,
  ): void {
    const marked = atEnd?.marked ?? NO_MARKS
    const always = Math.min(least, atEnd?.always(coding.bits) ?? least)
    for (const back of DIRECTIONS) {
      for (const way of coding.ways) {
        const run = this.#way(coding, count, way, back, least, marked, add)
        if (run && (run.characters >= always || run.marked))
          add(this.#piece(coding, run, way.alignment, back, atEnd !== undefined))
      }
    }
  }

  /**
   * The inner loop of all that looks for encodings: the bits of a byte are collected in a number,
   * and what a run of text has so far in others.
   *
   * @returns what may go on behind the last sign
   */
  #way(
    coding: Coding,
    count: number,
    { alignment, missing, missingBack }: Way,
    back: boolean,
    least: number,
    marks: Uint8Array,
    add: Add,
  ): Run | undefined {
    const signs = this.#signs
    const { bits } = coding
    const lead = back ? NO_TEXT : MORE + 1 // of characters of several bytes, read forwards alone
    let [collected, waiting] = [0, back ? missingBack : missing]
    let isWhole = waiting === 0
    let [first, last, characters, more, marked] = [NONE, NONE, 0, 0, 0]
    for (let at = 0; at < count; at++) {
      const sign = signs[at] ?? 0
      collected = back ? collected | (sign << waiting) : ((collected << bits) | sign) & 0xffff
      waiting += bits
      if (waiting < 8) continue
      waiting -= 8
      const byte = back ? collected & 255 : (collected >> waiting) & 255
      if (back) collected >>= 8
      if (!isWhole) {
        isWhole = true
        continue
      }
      const kind = KIND[byte] ?? NO_TEXT
      if (first !== NONE) {
        if (kind === MORE && more > 0) {
          last = at
          if (--more === 0) characters++
          continue
        }
        if (more === 0 && kind === CHARACTER) {
          last = at
          characters++
          marked |= marks[byte] ?? 0
          continue
        }
        if (more === 0 && kind === ZERO) continue
        if (more === 0 && lead !== NO_TEXT && kind >= lead) {
          last = at
          more = kind - MORE
          marked |= marks[byte] ?? 0
          continue
        }
        if (characters >= least) add(this.#piece(coding, { first, last }, alignment, back, false))
        first = NONE
        characters = more = 0
      }
      if (kind === CHARACTER) characters = 1
      else if (lead !== NO_TEXT && kind >= lead) more = kind - MORE
      else continue
      first = last = at
      marked = marks[byte] ?? 0
    }
    return first === NONE || characters === 0
      ? undefined
      : { first, last, characters, marked: marked !== 0 }
  }

  #piece(
    { bits, cycle, ahead, back: backwards }: Coding,
    { first, last }: Pick<Run, 'first' | 'last'>,
    alignment: number,
    back: boolean,
    open: boolean,
  ): Piece {
    const steps = (back ? backwards : ahead)[alignment]
    const bytes = new Uint8Array(last - first + 1)
    const others = new Uint8Array(last - first + 1)
    const signs = new Int32Array(last - first + 1)
    let count = 0
    for (let at = first; at <= last; at++) {
      const step = steps?.[at % cycle]
      if (!step) continue
      let window = 0
      for (let sign = 0; sign <= step.others; sign++)
        window = (window << bits) | (this.#signs[back ? at - sign : at - step.others + sign] ?? 0)
      const shifted = back
        ? window >> ((step.others + 1) * bits - 8 - step.shift)
        : window >> step.shift
      bytes[count] = shifted & 255
      others[count] = step.others
      signs[count++] = at
    }
    const from = Math.max(0, first - MOST_SIGNS)
    return new EncodedText({
      bytes: bytes.subarray(0, count),
      others,
      signs,
      places: this.#places.slice(from, last + 2),
      from,
      back,
      open,
      bits,
    })
  }
}

/** Signs that one byte takes at most, in binary, and the one before it. */
const MOST_SIGNS = 9

/** Bytes of one alignment that are text so far, by the signs with which they end. */
interface Run {
  readonly first: number
  readonly last: number
  readonly characters: number
  readonly marked: boolean
}

const DIRECTIONS = [false, true] as const
const NO_MARKS = new Uint8Array(256)
/** Where nobody asks for what is too short. */
const UNMARKED = { always: (): number => Infinity, marked: NO_MARKS } as const

/** x, X, b, B */
const isPrefix = (code: number): boolean =>
  code === 120 || code === 88 || code === 98 || code === 66

/** What a byte is in a text of UTF-8. A zero may stand between the characters of UTF-16. */
const NO_TEXT = 0,
  CHARACTER = 1,
  ZERO = 2,
  MORE = 3
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return ZERO
  if (byte < 0x80)
    return (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13
      ? CHARACTER
      : NO_TEXT
  if (byte < 0xc0) return MORE
  if (byte < 0xc2) return NO_TEXT
  if (byte < 0xe0) return MORE + 1
  if (byte < 0xf0) return MORE + 2
  return byte < 0xf5 ? MORE + 3 : NO_TEXT
})

/** Bytes of UTF-8 and the signs that they end with. */
interface Bytes {
  readonly bytes: Uint8Array
  /** Signs that a byte takes before the one that it ends with, by byte. */
  readonly others: Uint8Array
  /** The sign that a byte ends with, by byte. */
  readonly signs: Int32Array
  /** Where the signs stand in the text, from the sign `from` on. */
  readonly places: Int32Array
  readonly from: number
  readonly back: boolean
  readonly open: boolean
  readonly bits: number
}

interface Places {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly seams: ReadonlySet<number>
}

/**
 * Text found in an encoding. Where its characters stand is looked up when it is asked: nearly all
 * that is found says nothing that matters.
 */
class EncodedText implements Piece {
  readonly text: string
  readonly open: boolean
  readonly bits: number
  readonly #bytes: Bytes
  #places: Places | undefined

  constructor(bytes: Bytes) {
    this.text = textOf(bytes.bytes)
    this.open = bytes.open
    this.bits = bytes.bits
    this.#bytes = bytes
  }

  get starts(): readonly number[] {
    return this.#placed().starts
  }

  get ends(): readonly number[] {
    return this.#placed().ends
  }

  get seams(): ReadonlySet<number> {
    return this.#placed().seams
  }

  #placed(): Places {
    return (this.#places ??= placesOf(this.#bytes))
  }
}

const lengthOf = (byte: number): number => {
  const kind = KIND[byte] ?? 0
  return kind > MORE ? kind - MORE + 1 : 1
}

/** Units of UTF-16 of one character, or of what stands for bytes that are none. */
const unitsOf = (character: Uint8Array): number =>
  character.length === 1 ? 1 : Buffer.from(character).toString('utf8').length

/** Without zeros, and without a character that is cut off at the end. */
function textOf(bytes: Uint8Array): string {
  const kept = new Uint8Array(bytes.length)
  let count = 0
  for (let index = 0; index < bytes.length;) {
    const length = lengthOf(bytes[index] ?? 0)
    if (index + length > bytes.length) break
    if (bytes[index] !== 0)
      for (let unit = 0; unit < length; unit++) kept[count++] = bytes[index + unit] ?? 0
    index += length
  }
  return Buffer.from(kept.buffer, 0, count).toString('utf8')
}

/** Where each unit of the text of these bytes is written. */
function placesOf({ bytes, others, signs, places, from, back }: Bytes): Places {
  const starts: number[] = []
  const ends: number[] = []
  const seams = new Set<number>()
  const placeOf = (sign: number): number => places[Math.max(0, sign) - from] ?? 0
  const isSeamed = (index: number): boolean => {
    const [sign, own] = [signs[index] ?? 0, others[index] ?? 0]
    const before = back
      ? placeOf(sign + 1) - placeOf(sign - own)
      : placeOf(sign) - placeOf(sign - own - 1)
    return before > own + 1
  }
  let seamed = false
  for (let index = 0; index < bytes.length;) {
    const byte = bytes[index] ?? 0
    const length = lengthOf(byte)
    if (byte !== 0 && index + length <= bytes.length) {
      if (seamed || isSeamed(index)) seams.add(starts.length)
      seamed = false
      const start = placeOf((signs[index] ?? 0) - (others[index] ?? 0))
      const end = placeOf(signs[index + length - 1] ?? 0) + 1
      const units = unitsOf(bytes.subarray(index, index + length))
      for (let unit = 0; unit < units; unit++) {
        starts.push(start)
        ends.push(end)
      }
    } else seamed ||= isSeamed(index)
    index += length
  }
  return { starts, ends, seams }
}
