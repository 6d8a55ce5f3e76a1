import type { JsonObject } from '@amodal/sdk'
import { requestMissing } from './asking.ts'
import { matches } from './choose.ts'
import { fill } from './fill.ts'
import { wishOf } from './intent.ts'
import { isRecord } from './json.ts'
import { theOne } from './meant.ts'
import { render } from './render.ts'
import { callsOf, say, type DemoReply } from './demo-reply.ts'
import { flatten, rowsOf, type Row } from './table.ts'
import type { Tool, Turn } from './turn.ts'
import { mentions } from './words.ts'

/** A record that is to be changed is read first, so that what is not named stays as it is. */
export function lookFirst(tool: Tool, turn: Turn, tools: readonly Tool[]): DemoReply | undefined {
  if (wishOf(turn.text).intent !== 'update') return undefined
  for (const reader of tools.filter((one) => one.intent === 'read')) {
    const field = reader.fields.find((one) =>
      one.values.some((value) => mentions(tool.named, value)),
    )
    const value = field?.values.find((one) => mentions(tool.named, one))
    const filling = fill(reader, turn.text, tools)
    if (field === undefined || value === undefined || filling.missing.some((one) => one !== field))
      continue
    // What is to become true is no criterion of what to look for.
    const args = Object.entries(filling.calls[0] ?? {}).filter(([, one]) => typeof one !== 'object')
    return {
      text: '',
      calls: [{ tool: reader.name, args: { ...Object.fromEntries(args), [field.name]: value } }],
    }
  }
  return undefined
}

/** The second half of a change: the record that was read, with what the message says. */
export function change(turn: Turn, tools: readonly Tool[]): DemoReply | undefined {
  const wish = wishOf(turn.text)
  const onlyRead = turn.outcomes.every(
    (one) => !one.failed && tools.find((tool) => tool.name === one.tool)?.intent === 'read',
  )
  if (wish.intent !== 'update' || !onlyRead) return undefined
  const [best] = matches(tools, turn.text, wish)
  const [outcome] = turn.outcomes
  const rows = outcome && recordsOf(outcome.value)
  if (best === undefined || rows === undefined) return undefined
  const news = new Set(Object.keys(fill(best.tool, turn.text, tools, {}).calls[0] ?? {}))
  const row = theOne(rows, turn.text, news)
  if (row === undefined)
    return say(`I cannot tell which one you mean. ${render(turn.outcomes, turn.text, tools)}`)
  const filling = fill(best.tool, turn.text, tools, jsonOf(row))
  return filling.missing.length === 0
    ? callsOf(best.tool, filling)
    : say(requestMissing(best.tool, filling))
}

/** One record, or a list of them; `undefined` where nothing was found. */
function recordsOf(value: unknown): readonly Row[] | undefined {
  if (isRecord(value) && value.found === false) return undefined
  const rows = rowsOf(value)?.rows ?? (isRecord(value) ? [flatten(value)] : [])
  return rows.length === 0 ? undefined : rows
}

function jsonOf(row: Readonly<Record<string, unknown>>): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(row))
  return isRecord(copy) ? (copy as JsonObject) : {}
}
