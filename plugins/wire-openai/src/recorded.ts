import { assetUrl } from '@amodal/sdk/wire'
import { clientCallOf, toolsInState } from '@amodal/plugin-client-tools/tokens'
import {
  askId,
  type JsonObject,
  type PendingAsk,
  type SequencedEntry,
  type SessionView,
  type UserMessage,
  type AssetRef,
} from '@amodal/sdk'
import { canRespondIn } from './client-tools.ts'
import { ResponseWriter } from './response-writer.ts'
import { clientToolNames, eventsOf, usageIn, type RunSegment } from './run-segment.ts'
import type { ParkedTurn } from './run-turn.ts'
import { placeOf, type ResponsePlace } from './wire-id.ts'

interface Recorded {
  readonly place: ResponsePlace
  readonly segment: RunSegment
  readonly view: Pick<SessionView, 'asks' | 'entries'>
  readonly model: string
  readonly origin: string
  readonly after?: number
  /** For entries that are still to come. */
  readonly parked?: ParkedTurn
}

/**
 * A response as the journal has it, with the text of its stream so far. Unfinished ones are open:
 * more frames may be written to them.
 */
export function recorded({
  place,
  segment,
  view,
  model,
  origin,
  after,
  parked = { entries: [] },
}: Recorded): {
  readonly writer: ResponseWriter
  readonly text: string
  readonly isOver: boolean
} {
  const { opening, entries } = segment
  const first = entries[0]?.seq ?? 0
  parked.entries = entries
  const before = view.entries.filter(({ run, seq }) => run === opening.run && seq < first)
  const writer = new ResponseWriter({
    head: {
      place,
      createdAt: entries[0]?.at ?? opening.at,
      model,
      tools: toolsInState(opening.session_state),
      ...(opening.context?.['instructions'] !== undefined && {
        instructions: opening.context['instructions'],
      }),
    },
    clientTools: clientToolNames(segment),
    canRespond: canRespondIn(opening.session_state),
    origin,
    used: usageIn(before),
    parked,
    ...(after !== undefined && { after }),
  })
  let text = writer.begin()
  for (const entry of entries)
    for (const event of eventsOf(entry)) text += writer.event(event, entry.seq - 1, 1)
  const hasEnded = entries.some(({ kind }) => kind === 'run_ended')
  const asks = segment.isContinued ? handedIn(entries) : view.asks
  const waits = !hasEnded && asks.length > 0
  if (waits) text += writer.parked(asks)
  return { writer, text, isOver: hasEnded || waits }
}

/** The calls that were given to the client in these entries. */
const handedIn = (entries: readonly SequencedEntry[]): readonly PendingAsk[] =>
  entries.flatMap((entry) =>
    entry.kind === 'input_asked' && clientCallOf(entry)
      ? [
          {
            id: askId(entry.ask),
            type: entry.ask_type,
            schema: entry.schema,
            context: entry.context,
          },
        ]
      : [],
  )

/** What the person said, as an input item. */
export const inputItem = ({ key, text, assets = [] }: UserMessage): JsonObject => ({
  id: `msg_${placeOf({ kind: 'message', key })}`,
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [...(text === '' ? [] : [{ type: 'input_text', text }]), ...assets.map(contentOf)],
})

function contentOf(file: AssetRef): JsonObject {
  const { asset, mediaType, name, data } = file
  if (mediaType.startsWith('image/'))
    return {
      type: 'input_image',
      detail: 'auto',
      ...(data === undefined ? { file_id: asset } : { image_url: assetUrl(file) }),
    }
  return { type: 'input_file', file_id: asset, ...(name !== undefined && { filename: name }) }
}

/** A page of a list, in OpenAI's shape. */
export const listOf = (
  items: readonly JsonObject[],
  query: Readonly<Record<string, string>>,
): JsonObject => {
  const { order = 'desc', after } = query
  const ordered = order === 'asc' ? items : items.toReversed()
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  const asked = Number(query['limit'] ?? 20)
  const limit = Number.isInteger(asked) && asked > 0 ? Math.min(asked, 100) : 20
  const data = ordered.slice(start, start + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + limit < ordered.length,
  }
}
