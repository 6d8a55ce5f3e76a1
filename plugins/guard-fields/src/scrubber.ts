import {
  type Connection,
  cut,
  isObject,
  type Json,
  type PreparedCall,
  type RunContext,
  type Scrubber,
  type ToolContent,
  type ToolResult,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { Allowed } from './allowed.ts'
import { Restricted } from './fields.ts'
import type { Ledger } from './ledger.ts'
import { isPlain, rulesFor } from './matching.ts'
import { Names } from './names.ts'
import { Scrubbing } from './scrubbing.ts'

type Acting = PreparedCall & Required<Pick<PreparedCall, 'action'>>
type Answer = Exclude<ToolResult, { status: 'asks' }>
type Told = Extract<ToolResult, { status: 'success' }>
type Refused = Extract<ToolResult, { status: 'error' }>

/** Characters of what a target says of its refusal. */
const MOST_QUOTED = 600
/** Restricted fields that a message names. */
const MOST_NAMED = 8

/**
 * Cleans what comes from outside. A call that does nothing outside has nothing to be cleaned: what
 * it asked of others was.
 */
export function scrubber(ledger: Ledger): Scrubber {
  const names = new Names()
  return {
    scrub: async (result, call, ctx) =>
      call.action && result.status !== 'asks'
        ? scrubbed(result, { ...call, action: call.action }, ledger, names, ctx)
        : result,
  }
}

function scrubbed(
  result: Answer,
  call: Acting,
  ledger: Ledger,
  names: Names,
  ctx: RunContext,
): ToolResult {
  const { action } = call
  const connection = connectionsOf(ctx.bundle).find(({ name }) => name === action.connection)
  const rules = connection ? rulesFor(connection.access, action) : []
  const restricted =
    connection && connection.access.fieldRestrictions.length > 0
      ? new Restricted(connection, action)
      : undefined
  const allowed = new Allowed(rules, isPlain(action))
  const scrubbing = new Scrubbing(restricted, ledger.of(ctx.withheld), names, action, ctx, allowed)
  const endpoint = `${action.method} ${rules[0]?.path ?? action.path}`
  const clean =
    result.status === 'error'
      ? refused(result, scrubbing)
      : (told(result, scrubbing, allowed, call) ?? notTold(scrubbing, call, connection, endpoint))
  const { withheld, stripped } = scrubbing
  const kept = [...(result.withheld ?? []), ...withheld]
  const whole = kept.length === 0 ? clean : { ...clean, withheld: kept }
  if (stripped === 0) return whole
  const event = {
    type: 'field_scrub' as const,
    connection: action.connection,
    endpoint,
    stripped_count: stripped,
  }
  // Kept with the outcome of the model's own call; an inner call and an error have no events.
  if (whole.status === 'success' && !call.outer)
    return { ...whole, events: [...(whole.events ?? []), event] }
  ctx.progress(event)
  return whole
}

/** `undefined`: nothing says what the answer holds. */
function told(
  result: Told,
  scrubbing: Scrubbing,
  allowed: Allowed,
  { action }: Acting,
): Answer | undefined {
  const output =
    action.protocol === 'mcp'
      ? serverOutput(result.output, scrubbing)
      : scrubbing.whole(result.output)
  if (output === undefined) return undefined
  const content = result.content?.flatMap((part) => contentOf(part, scrubbing, allowed))
  if (scrubbing.exceeded) return undefined
  return { ...result, output, ...(content && { content }) }
}

/** A server of MCP says things in words beside its data. */
function serverOutput(output: Json, scrubbing: Scrubbing): Json | undefined {
  if (
    !isObject(output) ||
    typeof output['text'] !== 'string' ||
    output['data'] === undefined ||
    Object.keys(output).length !== 2
  )
    return scrubbing.whole(output)
  const [text, data] = [scrubbing.whole(output['text']), scrubbing.whole(output['data'])]
  if (data === undefined) return undefined
  return text === undefined ? data : { text, data }
}

/** Nobody reads what a picture shows. */
function contentOf(
  part: ToolContent,
  scrubbing: Scrubbing,
  { anything }: Allowed,
): readonly ToolContent[] {
  if (part.type !== 'text') return scrubbing.closed.length > 0 && !anything ? [] : [part]
  const text = scrubbing.whole(part.text)
  return text === undefined
    ? []
    : [{ ...part, text: typeof text === 'string' ? text : JSON.stringify(text) }]
}

/** What is not understood is not told, and whoever wrote the rules is told how to allow it. */
function notTold(
  { exceeded, closed }: Scrubbing,
  call: Acting,
  connection: Connection | undefined,
  endpoint: string,
): Answer {
  const fields = closed
    .slice(0, MOST_NAMED)
    .map(({ entity, field }) => `${entity}.${field}`)
    .join(', ')
  const file = connection?.file.replace(/[^/]*$/, 'access.json') ?? 'access.json'
  const done =
    call.action.effect === 'write'
      ? `"${call.tool.name}" ran, and what it did is done: do not repeat it. `
      : ''
  const why = exceeded
    ? 'it takes too much work to look through'
    : 'nothing in it says which of its values they are'
  const next = exceeded
    ? 'Ask for less at once.'
    : `Where it may be told, somebody lists the fields that may pass in ${file}: "endpoints": { ${JSON.stringify(endpoint)}: { "allow_fields": ["id", "…"] } }, or ["*"] for an answer in any form.`
  return {
    status: 'error',
    code: 'ANSWER_WITHHELD',
    message: `${done}The answer of "${call.action.connection}" to ${endpoint} was withheld: it may hold ${fields}, and ${why}. ${next}`,
  }
}

/** A refusal is in our own words, and may quote the target. */
function refused({ quotes, ...result }: Refused, scrubbing: Scrubbing): Refused {
  const output =
    result.output === undefined ? undefined : (scrubbing.whole(result.output) ?? scrubbing.mark())
  const common = { ...result, ...(output !== undefined && { output }) }
  if (!quotes || scrubbing.closed.length === 0)
    return { ...common, message: scrubbing.text(result.message) }
  const before = scrubbing.text(result.message.slice(0, quotes.at))
  const after = scrubbing.text(result.message.slice(quotes.at + quotes.length))
  const said = scrubbing.whole(quotes.value) ?? scrubbing.mark()
  return {
    ...common,
    message: `${before}${cut(typeof said === 'string' ? said : JSON.stringify(said), MOST_QUOTED)}${after}`,
  }
}
