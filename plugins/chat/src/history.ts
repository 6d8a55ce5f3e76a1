import {
  NANO,
  OUTCOME_SETTLED,
  redact,
  trySync,
  type AssetRef,
  type Json,
  type JsonObject,
  type Note,
  type SequencedEntry,
  type RunEnded,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { eventsOf } from '@amodal/sdk/loop'
import { wireEvent, wireRunUsage } from '@amodal/sdk/wire'
import { decisionOf } from './approvals.ts'

interface ToolCall {
  readonly toolId: string
  readonly toolName: string
  readonly parameters: Json
  label?: string
  result?: Json
  content?: Json
  status?: string
  duration_ms?: number
  events?: Json
  approval?: JsonObject
  settled?: JsonObject
}
interface Message {
  readonly role: 'user' | 'assistant'
  readonly type: 'user' | 'assistant_text'
  readonly text: string
  readonly at: number
  readonly seq: number
  readonly toolCalls: readonly ToolCall[]
  readonly assets?: readonly JsonObject[]
  readonly finish?: string
  warnings?: readonly string[]
  end?: JsonObject
}

/** The conversation as it is shown to people, without cleared entries. */
export function messagesOf(entries: readonly SequencedEntry[]): readonly JsonObject[] {
  const cleared =
    entries.findLast((entry) => entry.kind === 'compacted' && entry.cause === 'clear')?.seq ?? 0
  const messages: Message[] = []
  const calls = new Map<string, ToolCall>()
  const images = newestImages(entries)
  for (const entry of entries) {
    if (entry.seq <= cleared) continue
    switch (entry.kind) {
      case 'user_message':
        messages.push({
          role: 'user',
          type: 'user',
          text: entry.text,
          at: entry.at,
          seq: entry.seq,
          toolCalls: [],
          ...(entry.assets && { assets: entry.assets.map(assetView) }),
        })
        break
      case 'model_reply': {
        const toolCalls = entry.calls.map((call): ToolCall => ({
          toolId: call.id,
          toolName: call.name,
          parameters: parametersOf(call.input),
        }))
        for (const call of toolCalls) calls.set(call.toolId, call)
        messages.push({
          role: 'assistant',
          type: 'assistant_text',
          text: entry.text,
          at: entry.at,
          seq: entry.seq,
          toolCalls,
          ...(WHOLE.has(entry.finish) ? {} : { finish: entry.finish }),
        })
        break
      }
      case 'tool_outcome': {
        const call = calls.get(entry.call)
        if (!call) break
        const { output, status, ms, label } = entry
        Object.assign(call, { result: output, status, duration_ms: ms, ...(label && { label }) })
        const content = images.get(entry.call)
        if (content) call.content = content
        if (entry.events)
          call.events = eventsOf(entry).map((event) => jsonOf(wireEvent({ at: entry.at, event })))
        break
      }
      case 'child_closed': {
        const call = calls.get(entry.call)
        if (call)
          Object.assign(call, {
            result: entry.summary,
            status: entry.status,
            ...(entry.ms !== undefined && { duration_ms: entry.ms }),
          })
        break
      }
      case 'run_ended': {
        const last = messages.at(-1)
        if (last) last.end = endOf(entry)
        break
      }
      case 'input_answered': {
        const call = entry.ask_type === 'approval' && entry.call ? calls.get(entry.call) : undefined
        if (call) call.approval = decisionOf(entry)
        break
      }
      case 'tool_intent':
      case 'input_asked':
      case 'compacted':
      case 'child_opened':
        break
      case 'note': {
        const last = messages.at(-1)
        if (entry.code === OUTCOME_SETTLED) settleIn(calls, entry)
        if (last && entry.code === 'warning') last.warnings = [...(last.warnings ?? []), entry.text]
        break
      }
    }
  }
  return messages.map(({ at, toolCalls, role, type, text, seq, ...more }, index) => ({
    role,
    type,
    id: `hist-${index}`,
    text,
    timestamp: new Date(at).toISOString(),
    seq,
    ...(toolCalls.length > 0 && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
    ...more,
  }))
}

/** Maximum characters of images in a conversation; older ones are omitted. */
const MOST_IMAGE_CHARS = 4_000_000

/** The images of results by their calls, the newest ones. */
function newestImages(entries: readonly SequencedEntry[]): ReadonlyMap<string, Json> {
  const images = new Map<string, Json>()
  let chars = 0
  for (const entry of entries.toReversed()) {
    if (entry.kind !== 'tool_outcome' || !entry.content) continue
    const shown = entry.content.filter(({ type }) => type === 'image')
    chars += shown.reduce((sum, part) => sum + (part.type === 'image' ? part.data.length : 0), 0)
    if (chars > MOST_IMAGE_CHARS) break
    if (shown.length > 0)
      images.set(
        entry.call,
        shown.map((part) => ({ ...part })),
      )
  }
  return images
}

/** A file of a message, with the id by which clients fetch it. */
const assetView = ({ asset, mediaType, bytes, name, data }: AssetRef): JsonObject => ({
  id: asset,
  media_type: mediaType,
  bytes,
  ...(name !== undefined && { name }),
  ...(data !== undefined && { data }),
})

/** The finish reasons of a complete reply; only others are shown to readers. */
const WHOLE: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'other'])

/** The end and the usage of the turn whose last message this is. */
function endOf(entry: RunEnded): JsonObject {
  const { reason, cost, error } = entry
  return {
    reason,
    usage: { ...wireRunUsage(entry) },
    ...(cost !== undefined && { cost: cost / NANO }),
    ...(error && { error: { ...error } }),
  }
}

/**
 * How an unknown outcome was settled, by whom and when. The response of its target is not shown.
 */
function settleIn(calls: ReadonlyMap<string, ToolCall>, { data, at }: Note): void {
  // written by the loop
  const { call: id, settlement = null, status, by = null } = data as JsonObject
  const call = typeof id === 'string' ? calls.get(id) : undefined
  if (call)
    call.settled = {
      outcome: settlement,
      ...(status !== undefined && { status }),
      by,
      at: new Date(at).toISOString(),
    }
}

/** Events consist of JSON; their types have no index signature. */
const jsonOf = (value: object): Json => parseExact(JSON.stringify(value)) as Json

function parametersOf(input: string): Json {
  const parsed = trySync(
    () => parseExact(input) as Json,
    () => undefined,
  ) // JSON text
  return parsed.ok ? redact(parsed.value) : {}
}
