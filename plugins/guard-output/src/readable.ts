import type * as Entities from 'entities'
import { createRequire } from 'node:module'

/**
 * A text that says the same as another one in plainer signs; every character knows the place it
 * came from.
 */
export interface Readable {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Places before which something else may have ended, though no sign stands there. */
  readonly seams?: ReadonlySet<number>
}

/** Loaded when a text first names a sign. */
const entities = (): typeof Entities =>
  createRequire(import.meta.url)('entities') as typeof Entities

/** Begins one of the forms below. */
const WAKES = /[%&\\<[\uff01-\uff5e\ud835\udb40]|(?:^|\n)[ \t>]*\d/
const ESCAPE = [
  String.raw`(?:%[\dA-Fa-f]{2})+`,
  String.raw`%u[\dA-Fa-f]{4}`,
  String.raw`&(?:#\d{1,8};?|#[xX][\dA-Fa-f]{1,8};?|[A-Za-z][A-Za-z\d]{1,31};)`,
  String.raw`\\(?:u\{[\dA-Fa-f]{1,8}\}|U[\dA-Fa-f]{8}|u[\dA-Fa-f]{4}|x\{[\dA-Fa-f]{1,8}\}|x[\dA-Fa-f]{2}|[0-3][0-7]{2})`,
  String.raw`(?:%[\dA-Fa-f]?|%u[\dA-Fa-f]{0,3}|&(?:#[xX]?)?[\dA-Za-z]{0,8}|\\(?:u[\dA-Fa-f]{0,3}|U[\dA-Fa-f]{0,7}|x[\dA-Fa-f]?|[0-3][0-7]?|[ux]\{[\dA-Fa-f]{0,8})?)$`,
].join('|')
/** Of markup, and the number of an item of a list. What has only begun belongs to them, too. */
const MARKUP = [
  String.raw`<!--[^<>]{0,256}(?:-->|$)`,
  String.raw`<(?:[/!?A-Za-z][^<>]{0,256}(?:>|$)|$)`,
  String.raw`\[/?(?:[A-Za-z]{1,12}\]|[A-Za-z]{0,12}$)`,
  String.raw`(?<=^|\n)[ \t>]{0,16}\d{1,3}(?:[.)](?:[ \t]|$)|$)`,
].join('|')
/** Characters that are others in a plainer form, and such as are not seen and stand for others. */
const STYLED = String.raw`[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u{e0020}-\u{e007e}]`
const FORMS = new RegExp(`${ESCAPE}|${MARKUP}|${STYLED}`, 'gu')
/** What breaks a line also parts words. */
const BLOCK =
  /^<\/?(?:address|article|blockquote|br|caption|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul)\b/i

/**
 * Escapes and entities read, tags and the numbers of lists left out, styled characters made plain;
 * or nothing where there are none.
 */
export function unescaped(plain: Plain): Readable | undefined {
  return WAKES.test(plain.text) ? rewritten(plain, FORMS, meaningOf) : undefined
}

type Plain = Pick<Readable, 'text'> & { readonly seams?: ReadonlySet<number> | undefined }

const PRINTED = /=[\dA-F]{2}|=\r?\n/
const PRINTED_RUN = /(?:=[\dA-F]{2})+|=(?:\r?\n[>\s]{0,16}|[\dA-F]?$)/g

/**
 * Quoted-printable (RFC 2045, section 6.7), apart from the others since `=` stands in many texts
 * that are none.
 */
export function unquoted(plain: Plain): Readable | undefined {
  return PRINTED.test(plain.text)
    ? rewritten(plain, PRINTED_RUN, (form) =>
        /[\dA-F]{2}/.test(form) ? (utf8Of(form.replaceAll('=', '')) ?? form) : '',
      )
    : undefined
}

function rewritten(
  plain: Plain,
  forms: RegExp,
  meaning: (form: string) => string,
): Readable | undefined {
  const { text } = plain
  const starts: number[] = []
  const ends: number[] = []
  let readable = ''
  let at = 0
  const keep = (part: string, start: number, end: number | undefined): void => {
    for (let index = 0; index < part.length; index++) {
      starts.push(end === undefined ? start + index : start)
      ends.push(end ?? start + index + 1)
    }
    readable += part
  }
  for (const { 0: form, index } of text.matchAll(forms)) {
    keep(text.slice(at, index), at, undefined)
    keep(meaning(form), index, index + form.length)
    at = index + form.length
  }
  if (at === 0) return undefined
  keep(text.slice(at), at, undefined)
  if (readable === text) return undefined
  const { seams } = plain
  return seams === undefined || seams.size === 0
    ? { text: readable, starts, ends }
    : { text: readable, starts, ends, seams: moved(seams, starts) }
}

/** The same places in another text. */
function moved(seams: ReadonlySet<number>, starts: readonly number[]): ReadonlySet<number> {
  const own = new Set<number>()
  const inOrder = [...seams].sort((one, other) => one - other)
  let next = 0
  for (const [at, start] of starts.entries()) {
    let passed = false
    while (next < inOrder.length && (inOrder[next] ?? 0) <= start) {
      passed = true
      next++
    }
    if (passed) own.add(at)
  }
  return own
}

/** What has only begun to be an escape. */
const BEGUN =
  /^(?:[%&\\]$|%[\dA-Fa-f]$|%u[\dA-Fa-f]{0,3}$|\\(?:u[\dA-Fa-f]{0,3}|U[\dA-Fa-f]{0,7}|x[\dA-Fa-f]?|[0-3][0-7]?|[ux]\{[\dA-Fa-f]*)$|&#[xX]?$)/

function meaningOf(form: string): string {
  if (form.length < 10 && BEGUN.test(form)) return ''
  switch (form.charAt(0)) {
    case '%':
      return /^%u/.test(form)
        ? charOf(Number.parseInt(form.slice(2), 16))
        : (utf8Of(form.replaceAll('%', '')) ??
            Buffer.from(form.replaceAll('%', ''), 'hex').toString('latin1'))
    case '&':
      return entityOf(form)
    case '\\':
      return charOf(
        /^\\\d/.test(form)
          ? Number.parseInt(form.slice(1), 8)
          : Number.parseInt(form.replaceAll(/[\\uUx{}]/g, ''), 16),
      )
    case '<':
      return BLOCK.test(form) ? '\n' : ''
    case '[':
    case ' ':
    case '\t':
    case '>':
      return ''
    default:
      return /^\d/.test(form) ? '' : styled(form)
  }
}

function entityOf(form: string): string {
  const digits = /^&#([xX]?)([\dA-Fa-f]+)/.exec(form)
  if (digits) return charOf(Number.parseInt(digits[2] ?? '', digits[1] === '' ? 10 : 16))
  return entities().decodeHTML(form)
}

/** What a model hides in tag characters (U+E0000) is ASCII for whoever reads it. */
function styled(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return code >= 0xe0000 ? String.fromCharCode(code - 0xe0000) : char.normalize('NFKC')
}

const charOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

/** Bytes in hexadecimal as text. */
function utf8Of(digits: string): string | undefined {
  const text = Buffer.from(digits, 'hex').toString('utf8')
  return text.includes('\ufffd') ? undefined : text
}

/** Numbers of one to three digits, with something else than letters and digits between them. */
const CODES = /(?<![\p{L}\d])\d{2,3}(?:[^\p{L}\p{N}]{1,16}\d{2,3}){3,}(?![\p{L}\d])/gu

/** Texts that are written as the numbers of their characters. */
export function numberedIn(text: string): readonly Readable[] {
  if (!/\d\d[^\p{L}\p{N}]{1,16}\d\d[^\p{L}\p{N}]{1,16}\d\d/u.test(text)) return []
  return [...text.matchAll(CODES)].flatMap(({ 0: run, index }) =>
    [10, 8].flatMap((base) => charactersOf(run, index, base)),
  )
}

function charactersOf(run: string, start: number, base: number): readonly Readable[] {
  const found: Readable[] = []
  let own: { text: string; starts: number[]; ends: number[] } = { text: '', starts: [], ends: [] }
  const end = (): void => {
    if (own.text.length >= 4) found.push(own)
    own = { text: '', starts: [], ends: [] }
  }
  for (const { 0: digits, index } of run.matchAll(/\d+/g)) {
    const code = base === 8 && /[89]/.test(digits) ? 0 : Number.parseInt(digits, base)
    if (code < 0x20 || code > 0x7e) {
      end()
      continue
    }
    own.text += String.fromCharCode(code)
    own.starts.push(start + index)
    own.ends.push(start + index + digits.length)
  }
  end()
  return found
}
