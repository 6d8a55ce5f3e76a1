import { isDeepStrictEqual } from 'node:util'
import {
  type Action,
  type Connection,
  err,
  isObject,
  type Json,
  ok,
  type PreparedCall,
  type RunContext,
  type Scrubber,
  type TargetMessage,
  type ToolContent,
  type ToolResult,
  truncate,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { AllowedBySelection, rootOf } from './allowed-by-selection.ts'
import { AllowedByName } from './allowed.ts'
import { ResponseWithheld } from './errors.ts'
import { Restricted } from './fields.ts'
import { Ledger } from './ledger.ts'
import { isGraphql, isPlain, rulesFor } from './matching.ts'
import { holdsValue, NameCache } from './names.ts'
import { Scrubbing } from './scrubbing.ts'

type Outcome = Exclude<ToolResult, { status: 'asks' }>
type Success = Extract<ToolResult, { status: 'success' }>
type Failed = Extract<ToolResult, { status: 'error' }>
type Message = ReturnType<Scrubber['scrubMessage']>

/** Characters of a target's own error message. */
const MOST_QUOTED = 600
/** Restricted fields that a message names. */
const MOST_NAMED = 8

/**
 * Scrubs what comes from outside. The result of a call without an action needs no scrubbing: the
 * results of its inner calls were scrubbed.
 */
export function scrubber(): Scrubber {
  const names = new NameCache()
  const ledgers = new WeakMap<RunContext, Ledger>()
  const responseTo = (call: PreparedCall, ctx: RunContext): Response | undefined => {
    const ledger = ledgers.get(ctx) ?? new Ledger(ctx.redacted)
    ledgers.set(ctx, ledger)
    return call.action && new Response(call, call.action, ledger, names, ctx)
  }
  return {
    scrub: async (result, call, ctx) =>
      result.status === 'asks' ? result : (responseTo(call, ctx)?.result(result) ?? result),
    scrubMessage: async (message, call, ctx) =>
      responseTo(call, ctx)?.message(message) ?? ok({ message, redacted: [] }),
  }
}

/** One response of a connection, with the rules for it. */
class Response {
  readonly #call: PreparedCall
  readonly #action: Action
  readonly #ctx: RunContext
  readonly #connection: Connection | undefined
  /** The endpoint as events name it, and as a rule would. */
  readonly #endpoint: string
  readonly #rule: string
  readonly #scrubbing: Scrubbing

  constructor(
    call: PreparedCall,
    action: Action,
    ledger: Ledger,
    names: NameCache,
    ctx: RunContext,
  ) {
    const connection = connectionsOf(ctx.bundle).find(({ name }) => name === action.connection)
    const rules = connection ? rulesFor(connection.access, action) : []
    const isRestricted = connection && connection.access.fieldRestrictions.length > 0
    this.#call = call
    this.#action = action
    this.#ctx = ctx
    this.#connection = connection
    this.#endpoint = `${action.method} ${rules[0]?.path ?? action.path}`
    this.#rule = isGraphql(action) ? `${action.method} ${rootOf(action)}` : this.#endpoint
    this.#scrubbing = new Scrubbing({
      restricted: isRestricted ? new Restricted(connection, action, names) : undefined,
      allowed:
        connection && isGraphql(action)
          ? new AllowedBySelection(connection.access, action)
          : new AllowedByName(rules, isPlain(action)),
      ledger,
      names,
      connection: action.connection,
      roles: ctx.roles,
    })
  }

  result(result: Outcome): ToolResult {
    const clean = result.status === 'error' ? this.#error(result) : this.#success(result)
    const redacted = [...(result.redacted ?? []), ...this.#scrubbing.redacted]
    const whole = redacted.length === 0 ? clean : { ...clean, redacted }
    if (this.#scrubbing.stripped === 0) return whole
    // Kept with the outcome of the model's own call; an inner call and an error have no events.
    if (whole.status === 'success' && !this.#call.outer)
      return { ...whole, events: [...(whole.events ?? []), this.#event()] }
    this.#ctx.progress(this.#event())
    return whole
  }

  /** A question of a target: its text is scrubbed like a response, its form like one of data. */
  async message({ text, labels, data }: TargetMessage): Message {
    const scrubbing = this.#scrubbing
    const output = text.trim() === '' ? text : scrubbing.whole(text)
    const form = scrubbing.whole(data)
    const titles = labels.map((label) =>
      scrubbing.isOpen || !holdsValue(label) ? textOf(scrubbing.value(label)) : scrubbing.mark(),
    )
    const why = `What "${this.#action.connection}" asks for ${this.#endpoint} was withheld: ${this.#reason()}`
    const unread = { code: ResponseWithheld.code, message: why }
    if (scrubbing.exceeded || !isObject(form)) return err(unread)
    if (scrubbing.stripped > 0) this.#ctx.progress(this.#event())
    const { redacted } = scrubbing
    const message = { labels: titles, data: form }
    return output === undefined
      ? ok({ redacted, message: { ...message, text: scrubbing.mark(), unread } })
      : ok({ redacted, message: { ...message, text: textOf(output) } })
  }

  #success(result: Success): Outcome {
    const output = this.#output(result.output)
    const content = result.content?.flatMap((part) => this.#content(part))
    if (output !== undefined && !this.#scrubbing.exceeded)
      return { ...result, output, ...(content && { content }) }
    const done =
      this.#action.effect === 'write'
        ? `"${this.#call.tool.name}" ran, and what it did is done: do not repeat it. `
        : ''
    return {
      status: 'error',
      code: ResponseWithheld.code,
      message: `${done}The answer of "${this.#action.connection}" to ${this.#endpoint} was withheld: ${this.#reason()}`,
    }
  }

  /** An MCP server returns a text in addition to data. */
  #output(output: Json): Json | undefined {
    const isBoth =
      this.#action.protocol === 'mcp' &&
      isObject(output) &&
      Object.keys(output).length === 2 &&
      typeof output['text'] === 'string'
    if (!isBoth || output['data'] === undefined) return this.#scrubbing.whole(output)
    const [text, data] = [output['text'] ?? '', output['data']].map((one) =>
      this.#scrubbing.whole(one),
    )
    return data !== undefined && text !== undefined ? { text, data } : data
  }

  /** Images cannot be scanned. */
  #content(part: ToolContent): readonly ToolContent[] {
    if (part.type !== 'text') return this.#scrubbing.isOpen ? [part] : []
    const text = this.#scrubbing.whole(part.text)
    return text === undefined ? [] : [{ ...part, text: textOf(text) }]
  }

  /** An error is our own text, and may quote the target. */
  #error({ quotes, ...error }: Failed): Failed {
    const scrubbing = this.#scrubbing
    const output =
      error.output === undefined ? undefined : (scrubbing.whole(error.output) ?? scrubbing.mark())
    const result = { ...error, ...(output !== undefined && { output }) }
    if (!quotes) return { ...result, message: textOf(scrubbing.value(error.message)) }
    const clean = scrubbing.whole(quotes.value) ?? scrubbing.mark()
    if (isDeepStrictEqual(clean, quotes.value)) return result
    const before = error.message.slice(0, quotes.at)
    const after = error.message.slice(quotes.at + quotes.length)
    return { ...result, message: `${before}${truncate(textOf(clean), MOST_QUOTED)}${after}` }
  }

  #event() {
    return {
      type: 'field_scrub' as const,
      connection: this.#action.connection,
      endpoint: this.#endpoint,
      stripped_count: this.#scrubbing.stripped,
    }
  }

  /** Why it was withheld, and for the author of the rules how to allow it. */
  #reason(): string {
    const { exceeded, closed } = this.#scrubbing
    const fields = closed.slice(0, MOST_NAMED).map(({ entity, field }) => `${entity}.${field}`)
    const held = `it may hold ${fields.join(', ')}, and`
    if (exceeded) return `${held} scanning it takes too much work. Ask for less at once.`
    const file = this.#connection?.file.replace(/[^/]*$/, 'access.json') ?? 'access.json'
    const rule = `"endpoints": { ${JSON.stringify(this.#rule)}: { "allow_fields": ["id", "…"] } }`
    return `${held} it is in no form that tells which of its values they are. To allow it, list the fields that may pass in ${file}: ${rule}, or ["*"] for an answer in any form.`
  }
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
