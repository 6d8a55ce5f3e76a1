import { goOn, requestMissing } from './asking.ts'
import { change, lookFirst } from './change.ts'
import { matches, type Match } from './choose.ts'
import { fill } from './fill.ts'
import { wishOf } from './intent.ts'
import type { Found, Passage, Passages } from './passages.ts'
import { render } from './render.ts'
import { callsOf, say, type DemoReply } from './demo-reply.ts'
import type { Tool, Turn } from './turn.ts'

const GREETING =
  /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)\b[^?]{0,30}$/i
const THANKS = /^\W*(?:thanks|thank you|thx|great|perfect|ok(?:ay)?|bye|goodbye)\b[^?]{0,30}$/i
const ABILITIES =
  /\b(?:what (?:can|could|do) you do|who are you|what are you|how can you help|which tools|what tools|your tools)\b|^\W*help\W*$/i
const MAX_LISTED = 20
/** A passage has to speak of at least this share of a question. */
const SPOKEN = 0.5

/** The next step of the demo model, decided by words alone and deterministic for a prompt. */
export function answer(
  turn: Turn,
  tools: readonly Tool[],
  passages: Passages,
  mayCall: boolean,
): DemoReply {
  if (turn.outcomes.length > 0)
    return (
      (mayCall ? change(turn, tools) : undefined) ?? say(render(turn.outcomes, turn.text, tools))
    )
  if (ABILITIES.test(turn.text) || GREETING.test(turn.text))
    return say(abilities(tools, GREETING.test(turn.text)))
  if (THANKS.test(turn.text)) return say('You are welcome.')
  const continued = mayCall ? goOn(turn, tools) : undefined
  if (continued !== undefined) return continued

  const wish = wishOf(turn.text)
  const found = passages.find(turn.text, 2)
  const [best] = found
  const candidates = mayCall ? matches(tools, turn.text, wish) : []
  const textIsBetter =
    best !== undefined &&
    best.covers >= SPOKEN &&
    (wish.explains ||
      (wish.commands.length === 0 && candidates.every((one) => isWeaker(one, best))))
  if (candidates.length > 0 && !textIsBetter) return call(candidates, turn, tools)
  if (best === undefined || best.covers < SPOKEN / 2) return say(nothing(tools, turn))
  const close = found.filter((one) => one.score > best.score * 0.7 && one.covers >= best.covers)
  return say(
    [
      "The closest I find in this agent's own texts:",
      ...close.map(({ passage }) => quoted(passage)),
    ].join('\n\n'),
  )
}

const quoted = ({ title, text }: Passage): string =>
  title === '' ? text : `**${title}**\n\n${text}`

/**
 * A tool that only shares the name of a field with a question is no better than a text that speaks
 * of it.
 */
function isWeaker(tool: Match, text: Found): boolean {
  return tool.score < 3 ? text.covers >= tool.covers : tool.score < 4 && text.covers > tool.covers
}

/** The best tool whose arguments are all there; else a question for those of the best. */
function call(candidates: readonly Match[], turn: Turn, tools: readonly Tool[]): DemoReply {
  const [best] = candidates
  const fitting = candidates.map(({ tool, score }) => ({
    tool,
    near: score >= (best?.score ?? 0) * 0.6,
    filling: fill(tool, turn.text, tools),
  }))
  const ready = fitting.filter(({ filling }) => filling.missing.length === 0)
  const chosen = ready.find(({ near }) => near) ?? ready.find(({ tool }) => tool.intent === 'read')
  if (chosen !== undefined) return callsOf(chosen.tool, chosen.filling)
  const [first] = fitting
  if (first === undefined) return say(nothing(tools, turn))
  return lookFirst(first.tool, turn, tools) ?? say(requestMissing(first.tool, first.filling))
}

function abilities(tools: readonly Tool[], greets: boolean): string {
  const hello = greets ? 'Hello. ' : ''
  if (tools.length === 0)
    return `${hello}This agent has no tools. I can find passages in its texts: ask about one of its subjects.`
  const list = tools
    .slice(0, MAX_LISTED)
    .map((tool) => `- \`${tool.name}\`: ${tool.description.split(/(?<=[.!?])\s|\n/, 1)[0] ?? ''}`)
  const rest = tools.length > MAX_LISTED ? `\n\n… and ${tools.length - MAX_LISTED} more.` : ''
  return `${hello}I can call these tools of the agent, and find passages in its texts:\n\n${list.join('\n')}${rest}`
}

function nothing(tools: readonly Tool[], turn: Turn): string {
  const image = turn.hasImage ? ' I cannot see images.' : ''
  const { intent } = wishOf(turn.text)
  if (intent !== undefined && intent !== 'read')
    return `I match words, and found no tool of this agent that would do that.${hintOf(tools)}`
  return `I match words, and found neither a tool nor a text of this agent for these.${image}${hintOf(tools)}`
}

function hintOf(tools: readonly Tool[]): string {
  return tools.length === 0
    ? ''
    : ` Ask "what can you do?" to see its ${tools.length === 1 ? 'tool' : `${tools.length} tools`}.`
}
