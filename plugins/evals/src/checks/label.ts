import { never } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import type { CheckKind } from '../definition.ts'

const MOST_CHARACTERS = 80

/**
 * A check as one short text, much as a file has it.
 *
 * @example labelOf({ kind: 'at_most', measure: 'tokens', limit: 2000 }) // 'max_tokens: 2000'
 */
export function labelOf(check: CheckKind): string {
  switch (check.kind) {
    case 'contains':
      return `${notIf(check.negated)}contains ${quoted(check.text)}`
    case 'matches':
      return `${notIf(check.negated)}matches /${short(check.pattern)}/`
    case 'json_schema':
      return 'json_schema'
    case 'tools':
      return `tools_${notIf(check.negated)}called: ${listText(check.tools)}`
    case 'tool_order':
      return `tool_order (${check.mode}): ${listText(check.tools)}`
    case 'tool_args':
      return `tool_args: ${check.tool}`
    case 'writes':
      return `writes: ${rangeText(check.least, check.most)}`
    case 'approvals':
      return `approvals: ${listText(check.tools)}`
    case 'at_most':
      return `max_${check.measure}: ${check.limit}`
    case 'ends':
      return `ends: ${check.reason}`
    case 'store':
      return storeLabel(check)
    default:
      return never(check)
  }
}

const notIf = (negated: boolean): string => (negated ? 'not_' : '')

function storeLabel({ store, filters, count }: Extract<CheckKind, { kind: 'store' }>): string {
  const where = filters.map(({ field, value }) => `${field} = ${JSON.stringify(value)}`)
  const filtered = where.length === 0 ? store : `${store} where ${where.join(' and ')}`
  return short(`store: ${filtered}${count === undefined ? '' : `, ${count}`}`)
}

/** `request, query_store`, or `none`. */
export const listText = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.join(', ')

/** `none`, `2`, `1 to 3`, `at least 1` or `at most 3`. */
export function rangeText(least: number, most: number | undefined): string {
  if (most === undefined) return `at least ${least}`
  if (most === 0) return 'none'
  if (least === most) return `${least}`
  return least === 0 ? `at most ${most}` : `${least} to ${most}`
}

/** A text on one line, in quotes, cut where it is long. */
export const quoted = (text: string): string => JSON.stringify(short(text))

const short = (text: string): string => ellipsis(text.replaceAll(/\s*\n\s*/g, ' '), MOST_CHARACTERS)

/** `1,204`, `0.0125`. */
export const numberText = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 6 })
