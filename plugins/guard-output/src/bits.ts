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
  /** The bytes that end with a sign. */
  readonly ahead: Steps
  /** The bytes that begin with a sign, where signs are read from the end. */
  readonly back: Steps
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

/**
 * By the place of a sign in its cycle: for each alignment that has a byte there, how far from the
 * border of the window it stands.
 */
type Steps = readonly (readonly Step[])[]
interface Step {
  readonly alignment: number
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
    return value >= 0 ? value : stops.includes(sign) ? STOP : gaps(sign) ? GAP : STOP
  })
  const cycle = bits === 6 ? 4 : bits === 4 ? 2 : 8
  const ahead: Step[][] = Array.from({ length: cycle }, () => [])
  const back: Step[][] = Array.from({ length: cycle }, () => [])
  const add = (steps: Step[][], place: number, alignment: number, shift: number): void => {
    steps[place % cycle]?.push({ alignment, shift, others: Math.ceil((shift + 8) / bits) - 1 })
  }
  for (let phase = 0; phase < cycle; phase++) {
    const end = Math.floor(((phase + 1) * bits) / 8) * 8
    const begin = Math.ceil((phase * bits) / 8) * 8
    for (let alignment = 0; alignment < cycle; alignment++) {
      if (end > phase * bits) add(ahead, phase + alignment, alignment, (phase + 1) * bits - end)
      if (begin < (phase + 1) * bits)
        add(back, alignment - phase + cycle, alignment, begin - phase * bits)
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
    const steps = back ? backwards : ahead
    const bytes: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    const seamed: boolean[] = []
    for (let at = first; at <= last; at++) {
      const step = steps[at % cycle]?.find((one) => one.alignment === alignment)
      if (!step) continue
      const { shift, others } = step
      let window = 0
      for (let sign = 0; sign <= others; sign++)
        window = (window << bits) | (this.#signs[back ? at - sign : at - others + sign] ?? 0)
      bytes.push((back ? window >> ((others + 1) * bits - 8 - shift) : window >> shift) & 255)
      const place = this.#places[at] ?? 0
      starts.push(this.#places[at - others] ?? 0)
      ends.push(place + 1)
      const before = back
        ? (this.#places[at + 1] ?? 0) - (this.#places[at - others] ?? 0)
        : place - (this.#places[Math.max(0, at - others - 1)] ?? 0)
      seamed.push(before > others + 1)
    }
    return characters(bytes, { starts, ends, seamed, open, bits })
  }
}

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
  return byte < 0xe0 ? MORE + 1 : byte < 0xf0 ? MORE + 2 : byte < 0xf5 ? MORE + 3 : NO_TEXT
})

interface Bytes {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly seamed: readonly boolean[]
  readonly open: boolean
  readonly bits: number
}

/** Bytes of UTF-8 as characters; what is cut off at the end is left out. */
function characters(bytes: readonly number[], at: Bytes): Piece {
  let text = ''
  const [starts, ends]: [number[], number[]] = [[], []]
  const seams = new Set<number>()
  let seamed = false
  for (let index = 0; index < bytes.length;) {
    const kind = KIND[bytes[index] ?? 0] ?? NO_TEXT
    const length = kind > MORE ? kind - MORE + 1 : 1
    if (kind !== ZERO && index + length <= bytes.length) {
      const said =
        length === 1
          ? String.fromCharCode(bytes[index] ?? 0)
          : Buffer.from(bytes.slice(index, index + length)).toString('utf8')
      if (seamed || at.seamed[index] === true) seams.add(text.length)
      seamed = false
      for (let unit = 0; unit < said.length; unit++) {
        starts.push(at.starts[index] ?? 0)
        ends.push(at.ends[index + length - 1] ?? 0)
      }
      text += said
    } else seamed ||= at.seamed[index] === true
    index += length
  }
  return { text, starts, ends, seams, open: at.open, bits: at.bits }
}
