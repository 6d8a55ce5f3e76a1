import { NANO, type Json, type Usage } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import type { Tokens } from './row.ts'

/** Characters of a title. */
const MOST_TITLE = 160

/** The first line of a text, short enough for a row. */
export function lineOf(text: string, limit = MOST_TITLE): string {
  const [line = ''] = text.trim().split('\n', 1)
  return ellipsis(line, limit)
}

export const tokensOf = (usage: Usage): Tokens => ({
  input: usage.input,
  output: usage.output,
  cached: usage.cacheRead,
  cache_written: usage.cacheWrite,
})

/** `null` where no price is known. */
export const dollars = (cost: number | undefined): number | null =>
  cost === undefined ? null : cost / NANO

/** Bytes of a value as JSON, or of a text. */
export const sizeOf = (value: Json): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))

export const iso = (ms: number): string => new Date(ms).toISOString()
