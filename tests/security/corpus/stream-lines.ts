import { randomFrom } from './random.ts'
import { fill, fillAll } from './template.ts'
import { streamed, streamedTracked } from './templates/carriers.ts'
import { valueOf } from './tracked.ts'

export interface StreamLine {
  readonly id: string
  readonly text: string
  readonly blocked: readonly string[]
}

const PREFIX = 6

/**
 * Whether the first characters of each blocked value stand in the text only where a blocked value
 * stands.
 */
export function isFair(text: string, blocked: readonly string[]): boolean {
  const rest = blocked.reduce((left, value) => left.replaceAll(value, '\u0000'), text)
  return blocked.every((value) => !rest.includes(value.slice(0, PREFIX)))
}

export function streamLines(): readonly StreamLine[] {
  const random = randomFrom('stream')
  const drawFair = <T extends { readonly text: string; readonly blocked: readonly string[] }>(
    draw: () => T,
  ): T => {
    for (let drawn = draw(); ; drawn = draw()) if (isFair(drawn.text, drawn.blocked)) return drawn
  }
  const scanned = fillAll(streamed, 90, (template) =>
    drawFair(() => {
      const { text, labels } = fill(template, random, { period: () => '. ' })
      return { text, blocked: [...new Set(labels.map(({ value }) => value))] }
    }),
  )
  const tracked = fillAll(streamedTracked, 40, (template) =>
    drawFair(() => {
      const value = valueOf(
        random.pick(['email', 'customer_key', 'internal_notes', 'passport_number', 'codename']),
        random,
      )
      return { text: fill(template, random, { v: () => value }).text, blocked: [value] }
    }),
  )
  const ids = (
    prefix: string,
    lines: readonly { readonly text: string; readonly blocked: readonly string[] }[],
  ): readonly StreamLine[] =>
    lines.map(({ text, blocked }, index) => ({
      id: `${prefix}-${String(index + 1).padStart(3, '0')}`,
      text,
      blocked,
    }))
  return [...ids('stream-scan', scanned), ...ids('stream-track', tracked)]
}
