import { fill, type Filling } from './fill.ts'
import { callsOf, say, type DemoReply } from './demo-reply.ts'
import type { Field } from './schema.ts'
import type { Tool, Turn } from './turn.ts'

/** How a question for missing arguments is recognised in the turn after it. */
const NEED = /^To call `([\w-]+)` I still need/m

/** A message that gives what the last reply asked for, together with the messages before it. */
export function goOn({ before, text }: Turn, tools: readonly Tool[]): DemoReply | undefined {
  const name = NEED.exec(before.at(-1)?.answer ?? '')?.[1]
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined || Object.keys(fill(tool, text, tools).calls[0] ?? {}).length === 0)
    return undefined
  const start = before.findLastIndex(({ answer: said }) => NEED.exec(said)?.[1] !== name) + 1
  const filling = fill(
    tool,
    [...before.slice(start).map((one) => one.text), text].join('\n'),
    tools,
  )
  return filling.missing.length === 0 ? callsOf(tool, filling) : say(requestMissing(tool, filling))
}

export function requestMissing(tool: Tool, { missing }: Filling): string {
  const wanted = missing.map(
    (field) =>
      `- \`${field.name}\`${kindOf(field)}${field.description === '' ? '' : `: ${field.description}`}`,
  )
  const example = missing.map((field) => `${field.name}: ${field.values[0] ?? '…'}`).join(', ')
  return `To call \`${tool.name}\` I still need:\n\n${wanted.join('\n')}\n\nWrite it like this: ${example}`
}

function kindOf(field: Field): string {
  if (field.values.length > 0) return ` (one of ${field.values.slice(0, 12).join(', ')})`
  if (field.kind !== 'any' && field.kind !== 'string') return ` (${field.kind})`
  return field.format === undefined ? '' : ` (${field.format})`
}
