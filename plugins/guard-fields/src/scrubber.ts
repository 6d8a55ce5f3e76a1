import { connectionsOf, type PreparedCall, type RunContext, type Scrubber, type ToolResult } from '@amodal/sdk'
import { Restricted } from './fields.ts'
import type { Ledger } from './ledger.ts'
import { rulesFor } from './matching.ts'
import { Names } from './names.ts'
import { Scrubbing } from './scrubbing.ts'

/** Cleans what comes from outside. A call that does nothing outside has nothing to be cleaned: what it asked of others was. */
export function scrubber(ledger: Ledger): Scrubber {
  const names = new Names()
  return {
    scrub: async (result, call, ctx) => (call.action && result.status !== 'asks' ? scrubbed(result, { ...call, action: call.action }, ledger, names, ctx) : result),
  }
}

function scrubbed(result: Exclude<ToolResult, { status: 'asks' }>, call: Required<Pick<PreparedCall, 'action'>> & PreparedCall, ledger: Ledger, names: Names, ctx: RunContext): ToolResult {
  const { action } = call
  const connection = connectionsOf(ctx.bundle).find(({ name }) => name === action.connection)
  const restricted = connection && connection.access.fieldRestrictions.length > 0 ? new Restricted(connection, action) : undefined
  const scrubbing = new Scrubbing(restricted, ledger.of(ctx.withheld), names, action, ctx)
  const clean = result.status === 'error' ? {
    ...result, message: scrubbing.text(result.message), ...(result.output === undefined ? {} : { output: scrubbing.value(result.output) }),
  } : {
    ...result, output: scrubbing.value(result.output),
    ...(result.content ? { content: result.content.map((part) => (part.type === 'text' ? { ...part, text: scrubbing.text(part.text) } : part)) } : {}),
  }
  const { withheld, stripped } = scrubbing
  const kept = [...result.withheld ?? [], ...withheld]
  const whole = kept.length === 0 ? clean : { ...clean, withheld: kept }
  if (stripped === 0) return whole
  const rule = connection && rulesFor(connection.access, action)[0]
  const event = { type: 'field_scrub' as const, connection: action.connection, endpoint: `${action.method} ${rule?.path ?? action.path}`, stripped_count: stripped }
  // Kept with the outcome of the model's own call; an inner call and an error have no events.
  if (whole.status === 'success' && !call.outer) return { ...whole, events: [...whole.events ?? [], event] }
  ctx.progress(event)
  return whole
}
