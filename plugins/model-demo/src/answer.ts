import type { JsonObject } from '@amodal/sdk'
import { matches, type Match } from './choose.ts'
import { fill, type Filling } from './fill.ts'
import { wishOf } from './intent.ts'
import { isRecord } from './json.ts'
import type { Found, Passages } from './passages.ts'
import { meant, render } from './render.ts'
import type { Field } from './schema.ts'
import { flatten, rowsOf, type Row } from './table.ts'
import type { Tool, Turn } from './turn.ts'
import { mentions } from './words.ts'

export interface PlannedCall { readonly tool: string; readonly args: JsonObject }
export interface Answer { readonly text: string; readonly calls: readonly PlannedCall[] }

const GREETING = /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)\b[^?]{0,30}$/i
const THANKS = /^\W*(?:thanks|thank you|thx|great|perfect|ok(?:ay)?|bye|goodbye)\b[^?]{0,30}$/i
const ABILITIES = /\b(?:what (?:can|could|do) you do|who are you|what are you|how can you help|which tools|what tools|your tools)\b|^\W*help\W*$/i
/** How a question for missing arguments is recognised in the turn after it. */
const NEED = /^To call `([\w-]+)` I still need/m
const MAX_LISTED = 20
/** A passage has to speak of at least this share of a question. */
const SPOKEN = 0.5

const say = (text: string): Answer => ({ text, calls: [] })

/** What the demo model does next: decided by words alone, the same for the same prompt. */
export function answer(turn: Turn, tools: readonly Tool[], passages: Passages, mayCall: boolean): Answer {
  if (turn.outcomes.length > 0) return (mayCall ? change(turn, tools) : undefined) ?? say(render(turn.outcomes, turn.text, tools))
  if (ABILITIES.test(turn.text) || GREETING.test(turn.text)) return say(abilities(tools, GREETING.test(turn.text)))
  if (THANKS.test(turn.text)) return say('You are welcome.')
  const continued = mayCall ? goOn(turn, tools) : undefined
  if (continued !== undefined) return continued

  const wish = wishOf(turn.text)
  const found = passages.find(turn.text, 2)
  const [best] = found
  const candidates = mayCall ? matches(tools, turn.text, wish) : []
  const textIsBetter = best !== undefined && best.covers >= SPOKEN && (wish.explains || (wish.commands.length === 0 && candidates.every((one) => isWeaker(one, best))))
  if (candidates.length > 0 && !textIsBetter) return call(candidates, turn, tools)
  if (best === undefined || best.covers < SPOKEN / 2) return say(nothing(tools, turn))
  const quoted = found.filter((one) => one.score > best.score * 0.7 && one.covers >= best.covers).map(({ passage }) => `${passage.title === '' ? '' : `**${passage.title}**\n\n`}${passage.text}`)
  return say(`The closest I find in this agent's own texts:\n\n${quoted.join('\n\n')}`)
}

/** A tool that only shares the name of a field with a question is no better than a text that speaks of it. */
function isWeaker(tool: Match, text: Found): boolean {
  return tool.score < 3 ? text.covers >= tool.covers : tool.score < 4 && text.covers > tool.covers
}

/** The best tool whose arguments are all there; else a question for those of the best. */
function call(candidates: readonly Match[], turn: Turn, tools: readonly Tool[]): Answer {
  const [best] = candidates
  const fitting = candidates.map(({ tool, score }) => ({ tool, near: score >= (best?.score ?? 0) * 0.6, filling: fill(tool, turn.text, tools) }))
  const ready = fitting.filter(({ filling }) => filling.missing.length === 0)
  const chosen = ready.find(({ near }) => near) ?? ready.find(({ tool }) => tool.intent === 'read')
  if (chosen !== undefined) return callsOf(chosen.tool, chosen.filling)
  const [first] = fitting
  if (first === undefined) return say(nothing(tools, turn))
  return lookFirst(first.tool, turn, tools) ?? say(need(first.tool, first.filling))
}

function callsOf(tool: Tool, filling: Filling): Answer {
  return { text: '', calls: filling.calls.map((args) => ({ tool: tool.name, args })) }
}

/** A record that is to be changed is read first, so that what is not named stays as it is. */
function lookFirst(tool: Tool, turn: Turn, tools: readonly Tool[]): Answer | undefined {
  if (wishOf(turn.text).intent !== 'update') return undefined
  for (const reader of tools.filter((one) => one.intent === 'read')) {
    const field = reader.fields.find((one) => one.values.some((value) => mentions(tool.named, value)))
    const value = field?.values.find((one) => mentions(tool.named, one))
    const filling = fill(reader, turn.text, tools)
    if (field === undefined || value === undefined || filling.missing.some((one) => one !== field)) continue
    // What is to become true is no criterion of what to look for.
    const args = Object.entries(filling.calls[0] ?? {}).filter(([, one]) => typeof one !== 'object')
    return { text: '', calls: [{ tool: reader.name, args: { ...Object.fromEntries(args), [field.name]: value } }] }
  }
  return undefined
}

/** The second half of a change: the record that was read, with what the message says. */
function change(turn: Turn, tools: readonly Tool[]): Answer | undefined {
  const wish = wishOf(turn.text)
  const onlyRead = turn.outcomes.every((one) => !one.failed && tools.find((tool) => tool.name === one.tool)?.intent === 'read')
  if (wish.intent !== 'update' || !onlyRead) return undefined
  const [best] = matches(tools, turn.text, wish)
  const [outcome] = turn.outcomes
  const rows = outcome && recordsOf(outcome.value)
  if (best === undefined || rows === undefined) return undefined
  const news = new Set(Object.keys(fill(best.tool, turn.text, tools, {}).calls[0] ?? {}))
  const [row, second] = meant(rows, turn.text, [], news)
  if (row === undefined || second !== undefined) return say(`I cannot tell which one you mean. ${render(turn.outcomes, turn.text, tools)}`)
  const filling = fill(best.tool, turn.text, tools, jsonOf(row))
  return filling.missing.length === 0 ? callsOf(best.tool, filling) : say(need(best.tool, filling))
}

/** One record, or a list of them; `undefined` where nothing was found. */
function recordsOf(value: unknown): readonly Row[] | undefined {
  if (isRecord(value) && value.found === false) return undefined
  const rows = rowsOf(value)?.rows ?? (isRecord(value) ? [flatten(value)] : [])
  return rows.length === 0 ? undefined : rows
}

/** A message that gives what the last reply asked for, together with the messages before it. */
function goOn({ before, text }: Turn, tools: readonly Tool[]): Answer | undefined {
  const name = NEED.exec(before.at(-1)?.answer ?? '')?.[1]
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined || Object.keys(fill(tool, text, tools).calls[0] ?? {}).length === 0) return undefined
  const start = before.findLastIndex(({ answer: said }) => NEED.exec(said)?.[1] !== name) + 1
  const filling = fill(tool, [...before.slice(start).map((one) => one.text), text].join('\n'), tools)
  return filling.missing.length === 0 ? callsOf(tool, filling) : say(need(tool, filling))
}

function need(tool: Tool, { missing }: Filling): string {
  const wanted = missing.map((field) => `- \`${field.name}\`${kindOf(field)}${field.description === '' ? '' : `: ${field.description}`}`)
  const example = missing.map((field) => `${field.name}: ${field.values[0] ?? '…'}`).join(', ')
  return `To call \`${tool.name}\` I still need:\n\n${wanted.join('\n')}\n\nWrite it like this: ${example}`
}

function kindOf(field: Field): string {
  if (field.values.length > 0) return ` (one of ${field.values.slice(0, 12).join(', ')})`
  return field.kind === 'any' || field.kind === 'string' ? (field.format === undefined ? '' : ` (${field.format})`) : ` (${field.kind})`
}

function abilities(tools: readonly Tool[], greets: boolean): string {
  const hello = greets ? 'Hello. ' : ''
  if (tools.length === 0) return `${hello}This agent has no tools. I can find passages in its texts: ask about one of its subjects.`
  const list = tools.slice(0, MAX_LISTED).map((tool) => `- \`${tool.name}\`: ${tool.description.split(/(?<=[.!?])\s|\n/, 1)[0] ?? ''}`)
  return `${hello}I can call these tools of the agent, and find passages in its texts:\n\n${list.join('\n')}${tools.length > MAX_LISTED ? `\n\n… and ${tools.length - MAX_LISTED} more.` : ''}`
}

function nothing(tools: readonly Tool[], turn: Turn): string {
  const image = turn.hasImage ? ' I cannot see images.' : ''
  const { intent } = wishOf(turn.text)
  if (intent !== undefined && intent !== 'read') return `I match words, and found no tool of this agent that would do that.${hintOf(tools)}`
  return `I match words, and found neither a tool nor a text of this agent for these.${image}${hintOf(tools)}`
}

function hintOf(tools: readonly Tool[]): string {
  return tools.length === 0 ? '' : ` Ask "what can you do?" to see its ${tools.length === 1 ? 'tool' : `${tools.length} tools`}.`
}

function jsonOf(row: Readonly<Record<string, unknown>>): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(row))
  return isRecord(copy) ? (copy as JsonObject) : {}
}
