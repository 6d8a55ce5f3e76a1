import { imageTypeOf, type ImageType } from '@amodal/sdk'

/** Binary content of a base64 text. */
export interface Binary {
  readonly data: string
  readonly bytes: number
  /** What it is said to be. */
  readonly mediaType?: string
  /** What it is, where it is an image that models read. */
  readonly image?: ImageType
}

/** Shorter ones may be ids, cursors and tokens, which a model has to be able to repeat. */
const LEAST = 4_096
/** What is known by its first bytes is known when it is short. */
const LEAST_KNOWN = 64
/** Of the beginning, which is enough to tell text from anything else. */
const SAMPLE = 4_096
/** Different characters that base64 of anything but text has. */
const VARIED = 16
const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*;base64,/

/** Finds out whether a text is nothing but base64 of something that is no text. */
export function binaryIn(text: string): Binary | undefined {
  const trimmed = text.trim()
  const [prefix = '', mediaType] = DATA_URI.exec(trimmed.slice(0, 300)) ?? []
  const data = trimmed.slice(prefix.length).replace(/[\r\n]+/g, '')
  if (data.length < (prefix === '' ? LEAST_KNOWN : 1) || !/^[\w+/-]+={0,2}$/.test(data))
    return undefined
  const standard = data.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const padded = standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
  const image = imageTypeOf(padded)
  if (prefix === '' && !image && (data.length < LEAST || isText(padded))) return undefined
  return {
    data: padded,
    bytes: Math.floor((standard.length * 3) / 4),
    ...(mediaType !== undefined && { mediaType }),
    ...(image && { image }),
  }
}

function isText(base64: string): boolean {
  const bytes = Buffer.from(base64.slice(0, SAMPLE), 'base64')
  if (bytes.includes(0)) return false
  if (new Set(base64.slice(0, SAMPLE)).size < VARIED) return true // such as a line of dashes
  try {
    // The sample may end in the middle of a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** In words: what it is, and how much of it. */
export const described = ({ bytes, mediaType, image }: Binary): string =>
  `${image ?? mediaType ?? 'binary data'}, ${sizeOf(bytes)}`

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}
