import type { JsonObject, ToolContent } from '@amodal/sdk'
import type { CallThing, Shown } from '../thing.ts'
import { callOf } from '../row/call-facts.ts'
import { iso } from '../row/text.ts'
import { argumentsOf } from './arguments-of.ts'
import type { DetailParts } from './detail-parts.ts'
import { eventsIn } from './events-in.ts'
import { shownValue } from './shown-value.ts'

/** A call with its arguments, its result and what became of it. */
export function callDetail(thing: Shown<CallThing>, { full }: DetailParts): JsonObject {
  const { intent, outcome, closed, opened, settled, questions } = thing
  const call = callOf(thing)
  return {
    call: call.id,
    name: call.name,
    arguments: shownValue(argumentsOf(call), full),
    ...(call.broken !== undefined && { broken: call.broken }),
    ...(intent && {
      effect: {
        keyed: intent.keyed,
        idempotency_key: `${intent.run}:${intent.call}`,
        ...(intent.target && { target: { ...intent.target } }),
      },
    }),
    ...(outcome && {
      result: shownValue(outcome.output, full),
      ...(outcome.private && { private: true }),
      content: (outcome.content ?? []).map((part) => contentOf(part, full)),
      events: [...eventsIn(outcome)],
      in_doubt: (outcome.in_doubt ?? []).map(({ call: id, name, key, keyed }) => ({
        call: id,
        name,
        idempotency_key: key,
        can_retry: keyed,
      })),
    }),
    ...(opened && { session: opened.child, agent: opened.agent }),
    ...(closed && { result: shownValue(closed.summary, full) }),
    ...(settled && { settled: settlementOf(settled) }),
    rows: questions.map(({ id }) => id),
  }
}

/** What its target said then stays with the model. */
function settlementOf({ data, at }: NonNullable<CallThing['settled']>): JsonObject {
  const { settlement = null, status, by = null } = data as JsonObject // written by the loop
  return { outcome: settlement, ...(status !== undefined && { status }), by, at: iso(at) }
}

function contentOf(part: ToolContent, full: boolean): JsonObject {
  if (part.type === 'text') return { type: 'text', text: shownValue(part.text, full) }
  const { mimeType, data, isUrl = false } = part
  return { type: 'image', mime_type: mimeType, is_url: isUrl, data: shownValue(data, full) }
}
