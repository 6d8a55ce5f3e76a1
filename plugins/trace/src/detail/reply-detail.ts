import type { JsonObject, SequencedEntry } from '@amodal/sdk'
import type { ReplyThing } from '../thing.ts'
import { argumentsOf } from './arguments-of.ts'
import type { DetailParts } from './detail-parts.ts'
import { shownValue } from './shown-value.ts'

/** What a model call came to, and what was sent for it. */
export function replyDetail({ entry, attempts }: ReplyThing, parts: DetailParts): JsonObject {
  const { full, trace, sent } = parts
  const { text, reasoning = '', calls, thoughts = [] } = entry
  return {
    text: shownValue(text, full),
    reasoning: reasoning === '' ? null : shownValue(reasoning, full),
    // of some providers the journal has the reasoning in encrypted form only
    reasoning_blocks: thoughts.length,
    calls: calls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: shownValue(argumentsOf(call), full),
      ...(call.broken !== undefined && { broken: call.broken }),
    })),
    failed_attempts: attempts.map(({ at }) => ({ at: new Date(at).toISOString() })),
    sent: sent ?? unavailable(entry, trace.entries),
  }
}

/** What the journal says of a call that this process has not sent, or has forgotten. */
function unavailable(reply: ReplyThing['entry'], entries: readonly SequencedEntry[]): JsonObject {
  const before = entries.filter(({ seq }) => seq < reply.seq)
  const compacted = before.findLast((entry) => entry.kind === 'compacted')
  const from = compacted?.kind === 'compacted' ? compacted.upto : 0
  const recent = before.filter(({ seq }) => seq > from)
  const count = (kind: SequencedEntry['kind']): number =>
    recent.filter((entry) => entry.kind === kind).length
  const opening = before.findLast((entry) => entry.kind === 'user_message')
  return {
    available: false,
    why: 'This server did not send this call, or has forgotten it: the journal keeps the conversation, and no copy of what was sent.',
    made_of: {
      bundle: opening?.kind === 'user_message' ? opening.bundle : null,
      summary_chars: compacted?.kind === 'compacted' ? compacted.summary.length : 0,
      messages: count('user_message'),
      replies: count('model_reply'),
      results: count('tool_outcome') + count('child_closed'),
    },
  }
}
