import { isList, isObject } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import type { Json, Threshold } from '@amodal/sdk'
import { type RequestParts, parseField, valuesAt } from './field.ts'

/** Why a threshold raises the tier of a request; `undefined` where it does not. Doubt raises. */
export function reasonToRaise(threshold: Threshold, parts: RequestParts): string | undefined {
  const { field } = threshold
  const path = parseField(field)
  if (!path) return `\`${field}\` names no part of the request`
  const { values, doubt } = valuesAt(path, parts)
  for (const value of values) {
    const why = compare(threshold, value)
    if (why !== undefined) return `\`${field}\` ${why}`
  }
  return doubt ? `what stands at \`${field}\` cannot be told` : undefined
}

function compare({ above, below, equals }: Threshold, value: Json): string | undefined {
  if (above !== undefined || below !== undefined || typeof equals === 'number') {
    const number = numberOf(value)
    if (number === undefined) return 'is no plain number'
    if (above !== undefined && number > above) return `is above ${above}`
    if (below !== undefined && number < below) return `is below ${below}`
    if (typeof equals === 'number') return number === equals ? `is ${equals}` : undefined
  }
  if (equals === undefined || typeof equals === 'number') return undefined
  // A server that receives a list may use its first item.
  if (isObject(value) || isList(value))
    return typeof equals === 'object' && JSON.stringify(value) !== JSON.stringify(equals)
      ? undefined
      : 'is no single value'
  return textOf(value) === textOf(equals) ? `is ${JSON.stringify(equals)}` : undefined
}

const textOf = (value: Json): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).normalize('NFKC').trim().toLowerCase()

/**
 * A number, or a plain decimal text. Grouped, hexadecimal and full-width digits are read
 * differently by different servers.
 */
function numberOf(value: Json): number | undefined {
  const isDecimal =
    typeof value === 'string' && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)
  if (!isNumber(value) && !isDecimal) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
