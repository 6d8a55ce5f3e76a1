import { textStart } from '@amodal/sdk/data'
import { wishOf } from './intent.ts'
import { isRecord } from './json.ts'
import { meant } from './meant.ts'
import { fieldsOf, flatten, rowsOf, tableOf, type Row } from './table.ts'
import type { Outcome, Tool } from './turn.ts'

const MAX_TEXT = 4_000
const MAX_ERROR = 500

/** The results of a turn's calls, as text for the person who asked. */
export function render(outcomes: readonly Outcome[], text: string, tools: readonly Tool[]): string {
  const all = outcomes.map((outcome) => ({
    outcome,
    tool: tools.find((tool) => tool.name === outcome.tool),
  }))
  const effects = all.filter(({ outcome, tool }) => outcome.failed || tool?.intent !== 'read')
  // What was read on the way to a change is not what was asked for.
  return (effects.length > 0 && wishOf(text).intent === 'update' ? effects : all)
    .map(({ outcome, tool }) => one(outcome, text, tool))
    .join('\n\n')
}

function one(outcome: Outcome, text: string, tool: Tool | undefined): string {
  if (outcome.failed)
    return `\`${outcome.tool}\` failed: ${textStart(textOf(outcome.value), MAX_ERROR)}. I did not try it again.`.replace(
      /([.!?])\.( I did)/,
      '$1$2',
    )
  if (tool !== undefined && tool.intent !== 'read')
    return [`Done: \`${outcome.tool}\`${subjectOf(outcome)}.`, detailsOf(outcome.value)]
      .filter((part) => part !== '')
      .join('\n\n')
  if (isRecord(outcome.value) && outcome.value.found === false)
    return `\`${outcome.tool}\`${subjectOf(outcome)} found nothing.`
  const list = rowsOf(outcome.value)
  return list === undefined
    ? [`\`${outcome.tool}\`${subjectOf(outcome)} says:`, detailsOf(outcome.value)].join('\n\n')
    : listed(outcome, list.rows, list.total, text)
}

function listed(
  outcome: Outcome,
  all: readonly Row[],
  total: number | undefined,
  text: string,
): string {
  const where = subjectOf(outcome)
  if (all.length === 0) return `\`${outcome.tool}\`${where} found nothing.`
  const rows = meant(all, text, Object.values(outcome.args))
  const inAll = total !== undefined && total > all.length ? `, of ${total} in all` : ''
  const counted =
    rows.length < all.length
      ? `${rows.length} of ${all.length} match${inAll === '' ? '' : ` in what I read${inAll}`}`
      : `${all.length}${inAll}`
  if (wishOf(text).counts && rows.length === all.length)
    return `${total ?? all.length}, counted with \`${outcome.tool}\`${where}.\n\n${tableOf(rows)}`
  return `\`${outcome.tool}\`${where} (${counted}):\n\n${tableOf(rows)}`
}

/** The values by which a call was told what to look at: " on **deals**". */
function subjectOf({ args }: Outcome): string {
  const [subject] = Object.values(args).filter(
    (value) => typeof value === 'string' && value.length <= 60,
  )
  return typeof subject === 'string' ? ` on **${subject}**` : ''
}

function detailsOf(value: unknown): string {
  if (isRecord(value)) return fieldsOf(flatten(value))
  const list = rowsOf(value)
  return list === undefined || list.rows.length === 0
    ? textStart(textOf(value), MAX_TEXT)
    : tableOf(list.rows)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
