import {
  type Connection,
  truncate,
  err,
  type Failure,
  isObject,
  type Json,
  ok,
  type PreparedCall,
  type Result,
  type RunContext,
  type ScrubbedMessage,
  type Scrubber,
  type TargetMessage,
  type ToolContent,
  type ToolResult,
  type RedactedValue,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { type Allowed, AllowedByName } from './allowed.ts'
import { Restricted } from './fields.ts'
import type { Ledger } from './ledger.ts'
import { AllowedBySelection, rootOf } from './allowed-by-selection.ts'
import { isGraphql, isPlain, rulesFor } from './matching.ts'
import { holdsValue, Names } from './names.ts'
import { Scrubbing } from './scrubbing.ts'
import { ResponseWithheld } from './errors.ts'

type Acting = PreparedCall & Required<Pick<PreparedCall, 'action'>>
type Answer = Exclude<ToolResult, { status: 'asks' }>
type Told = Extract<ToolResult, { status: 'success' }>
type Refused = Extract<ToolResult, { status: 'error' }>

/** Characters of a target's own error message. */
const MOST_QUOTED = 600
/** Restricted fields that a message names. */
const MOST_NAMED = 8

/**
 * Scrubs what comes from outside. The result of a call without an action needs no scrubbing: the
 * results of its inner calls were scrubbed.
 */
export function scrubber(ledger: Ledger): Scrubber {
  const names = new Names()
  return {
    scrub: async (result, call, ctx) =>
      isActing(call) && result.status !== 'asks'
        ? scrubbed(result, call, scrubContextOf(call, ledger, names, ctx), ctx)
        : result,
    scrubMessage: async (message, call, ctx) =>
      isActing(call)
        ? scrubbedMessage(message, call, scrubContextOf(call, ledger, names, ctx), ctx)
        : ok({ message, redacted: [] }),
  }
}

const isActing = (call: PreparedCall): call is Acting => call.action !== undefined

/** The rules for one response, and the scan of it. */
interface ScrubContext {
  readonly scrubbing: Scrubbing
  readonly allowed: Allowed
  readonly connection: Connection | undefined
  /** As it is named in events. */
  readonly endpoint: string
  /** As a rule would name it. */
  readonly rule: string
}

function scrubContextOf(
  { action }: Acting,
  ledger: Ledger,
  names: Names,
  ctx: RunContext,
): ScrubContext {
  const connection = connectionsOf(ctx.bundle).find(({ name }) => name === action.connection)
  const rules = connection ? rulesFor(connection.access, action) : []
  const restricted =
    connection && connection.access.fieldRestrictions.length > 0
      ? new Restricted(connection, action)
      : undefined
  const allowed =
    connection && isGraphql(action)
      ? new AllowedBySelection(connection.access, action)
      : new AllowedByName(rules, isPlain(action))
  const endpoint = `${action.method} ${rules[0]?.path ?? action.path}`
  return {
    connection,
    allowed,
    scrubbing: new Scrubbing(restricted, ledger.of(ctx.redacted), names, action, ctx, allowed),
    endpoint,
    rule: isGraphql(action) ? `${action.method} ${rootOf(action)}` : endpoint,
  }
}

function scrubbed(
  result: Answer,
  call: Acting,
  context: ScrubContext,
  ctx: RunContext,
): ToolResult {
  const { scrubbing, allowed } = context
  const clean =
    result.status === 'error'
      ? refused(result, scrubbing)
      : (scrubbedOutput(result, scrubbing, allowed, call) ?? withheldResult(call, context))
  const { redacted, stripped } = scrubbing
  const kept = [...(result.redacted ?? []), ...redacted]
  const whole = kept.length === 0 ? clean : { ...clean, redacted: kept }
  if (stripped === 0) return whole
  const event = scrubEvent(call, context)
  // Kept with the outcome of the model's own call; an inner call and an error have no events.
  if (whole.status === 'success' && !call.outer)
    return { ...whole, events: [...(whole.events ?? []), event] }
  ctx.progress(event)
  return whole
}

const scrubEvent = ({ action }: Acting, { scrubbing, endpoint }: ScrubContext) => ({
  type: 'field_scrub' as const,
  connection: action.connection,
  endpoint,
  stripped_count: scrubbing.stripped,
})

/**
 * Scrubs a question of a target: its text like a response that is text, its form like one that is
 * data.
 */
function scrubbedMessage(
  { text, labels, data }: TargetMessage,
  call: Acting,
  context: ScrubContext,
  ctx: RunContext,
): Result<
  { readonly message: ScrubbedMessage; readonly redacted: readonly RedactedValue[] },
  Failure
> {
  const { scrubbing } = context
  const output = text.trim() === '' ? text : scrubbing.whole(text)
  const form = scrubbing.whole(data)
  const titles = labels.map((label) =>
    scrubbing.closed.length === 0 || context.allowed.anything || !holdsValue(label)
      ? textOf(scrubbing.value(label))
      : scrubbing.mark(),
  )
  const why = `What "${call.action.connection}" asks for ${context.endpoint} was withheld: ${withheldReason(context)}`
  const unread = { code: ResponseWithheld.code, message: why }
  if (scrubbing.exceeded || !isObject(form)) return err(unread)
  if (scrubbing.stripped > 0) ctx.progress(scrubEvent(call, context))
  const message = { labels: titles, data: form }
  return ok({
    redacted: scrubbing.redacted,
    message:
      output === undefined
        ? { ...message, text: scrubbing.mark(), unread }
        : { ...message, text: textOf(output) },
  })
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** `undefined`: it cannot be determined which fields the response holds. */
function scrubbedOutput(
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

/** An MCP server returns texts in addition to data. */
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

/** Images cannot be scanned. */
function contentOf(
  part: ToolContent,
  scrubbing: Scrubbing,
  { anything }: Allowed,
): readonly ToolContent[] {
  if (part.type !== 'text') return scrubbing.closed.length > 0 && !anything ? [] : [part]
  const text = scrubbing.whole(part.text)
  return text === undefined ? [] : [{ ...part, text: textOf(text) }]
}

/** The error result for a response that could not be parsed. */
function withheldResult(call: Acting, context: ScrubContext): Answer {
  const { action, tool } = call
  const done =
    action.effect === 'write'
      ? `"${tool.name}" ran, and what it did is done: do not repeat it. `
      : ''
  return {
    status: 'error',
    code: ResponseWithheld.code,
    message: `${done}The answer of "${action.connection}" to ${context.endpoint} was withheld: ${withheldReason(context)}`,
  }
}

/** The reason, and for the author of the rules how to allow the response. */
function withheldReason({ scrubbing, connection, rule }: ScrubContext): string {
  const { exceeded, closed } = scrubbing
  const fields = closed
    .slice(0, MOST_NAMED)
    .map(({ entity, field }) => `${entity}.${field}`)
    .join(', ')
  const file = connection?.file.replace(/[^/]*$/, 'access.json') ?? 'access.json'
  const why = exceeded
    ? 'scanning it takes too much work'
    : 'it is in no form that tells which of its values they are'
  const next = exceeded
    ? 'Ask for less at once.'
    : `To allow it, list the fields that may pass in ${file}: "endpoints": { ${JSON.stringify(rule)}: { "allow_fields": ["id", "…"] } }, or ["*"] for an answer in any form.`
  return `it may hold ${fields}, and ${why}. ${next}`
}

/** A refusal is our own text, and may quote the target. */
function refused({ quotes, ...result }: Refused, scrubbing: Scrubbing): Refused {
  const output =
    result.output === undefined ? undefined : (scrubbing.whole(result.output) ?? scrubbing.mark())
  const common = { ...result, ...(output !== undefined && { output }) }
  if (!quotes || scrubbing.closed.length === 0)
    return { ...common, message: scrubbing.text(result.message) }
  const before = scrubbing.text(result.message.slice(0, quotes.at))
  const after = scrubbing.text(result.message.slice(quotes.at + quotes.length))
  const quoted = scrubbing.whole(quotes.value) ?? scrubbing.mark()
  return { ...common, message: `${before}${truncate(textOf(quoted), MOST_QUOTED)}${after}` }
}
