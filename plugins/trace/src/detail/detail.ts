import { fixOf, never, type JsonObject } from '@amodal/sdk'
import { factsOf } from '../row/facts.ts'
import { rowView } from '../row/row-view.ts'
import { runView } from '../row/run-view.ts'
import type { CompactionThing, GuardThing, MessageThing, NoteThing, Shown } from '../thing.ts'
import { askDetail } from './ask-detail.ts'
import { callDetail } from './call-detail.ts'
import { replyDetail } from './reply-detail.ts'
import type { DetailParts } from './detail-parts.ts'
import { eventsIn } from './events-in.ts'
import { shownValue } from './shown-value.ts'

/** All that is known of one row, as far as its reader may see it. */
export function detailOf(thing: Shown, parts: DetailParts): JsonObject {
  const { trace } = parts
  const { error } = factsOf(thing)
  return {
    session_id: trace.session,
    row: rowView(thing, { session: trace.session, depth: 0, parent: null }),
    run: runView(thing.run, trace.things),
    ...bodyOf(thing, parts),
    ...(error && { error: { ...error, fix: fixOf(error) } }),
  }
}

function bodyOf(thing: Shown, parts: DetailParts): JsonObject {
  switch (thing.kind) {
    case 'message':
      return messageDetail(thing, parts)
    case 'reply':
      return replyDetail(thing, parts)
    case 'call':
      return callDetail(thing, parts)
    case 'ask':
      return askDetail(thing, parts)
    case 'guard':
      return guardDetail(thing, parts)
    case 'compaction':
      return compactionDetail(thing)
    case 'note':
      return noteDetail(thing)
    case 'spent':
    case 'end':
      return {}
    default:
      return never(thing)
  }
}

const messageDetail = ({ entry }: MessageThing, { full }: DetailParts): JsonObject => ({
  text: shownValue(entry.text, full),
  bundle: entry.bundle,
  assets: (entry.assets ?? []).map(({ asset, mediaType, bytes, name }) => ({
    id: asset,
    media_type: mediaType,
    bytes,
    ...(name !== undefined && { name }),
  })),
})

const guardDetail = ({ entry, verdict }: GuardThing, { full }: DetailParts): JsonObject => ({
  verdict,
  tool: entry.name,
  reason: verdict === 'redacted' ? null : shownValue(entry.output, full),
  events: eventsIn(entry),
})

/**
 * The summary is not shown: it may quote results that no client sees, and no other route has it.
 */
const compactionDetail = ({ entry }: CompactionThing): JsonObject => ({
  cause: entry.cause,
  upto: entry.upto,
  tokens_before: entry.tokens_before ?? null,
  tokens_after: entry.tokens_after ?? null,
  summary_tokens: entry.summary_tokens ?? entry.usage?.output ?? null,
  summary_chars: entry.summary.length,
  not_shown: ['summary'],
})

const noteDetail = ({ entry }: NoteThing): JsonObject => ({
  code: entry.code,
  not_shown: [
    ...(entry.data === undefined ? [] : ['data']),
    ...(entry.session_state === undefined ? [] : ['session_state']),
  ],
})
