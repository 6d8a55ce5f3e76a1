import {
  canonical,
  hashOf,
  isList,
  isObject,
  sha256,
  type Json,
  type JsonObject,
  type Message,
  type ModelCall,
} from '@amodal/sdk'
import { textStart, parseExact } from '@amodal/sdk/data'
import type { Scrubber } from './scrubber.ts'

/** One message: its hash for comparison, and an excerpt for people. */
export interface RecordedMessage {
  readonly role: string
  readonly sha: string
  readonly text: string
}

/**
 * The recorded form of a request: enough to identify it and to describe differences.
 */
export interface RecordedRequest {
  readonly provider: string
  readonly model: string
  readonly toolChoice: string
  readonly settings: JsonObject
  readonly system: { readonly sha: string; readonly text: string }
  /** Hashes by name. */
  readonly tools: Readonly<Record<string, string>>
  readonly messages: readonly RecordedMessage[]
}

/** Characters that are shown of what stands in full in an earlier recording. */
const SHOWN = 200
/** Hashes are shortened, since people compare them too. */
const DIGITS = 12

/**
 * The parts of a request that identify it: provider, model, prompt, tools, tool choice, settings.
 * Addresses, credentials, headers and options for one provider (cache marks) do not; ids of calls
 * count by their order alone.
 *
 * @param ignore what differs from run to run
 */
export function recordedRequest(
  call: ModelCall,
  scrub: Scrubber,
  ignore: readonly RegExp[],
): RecordedRequest {
  const text = (said: string): string =>
    ignore.reduce((rest, pattern) => rest.replaceAll(pattern, '…'), scrub.text(said))
  const ids = new Map<string, string>()
  const { temperature, maxOutputTokens, topP, seed, reasoning } = call.settings
  const newest = call.messages.findLastIndex(({ role }) => role === 'assistant')
  return {
    provider: call.config.provider,
    model: call.config.model,
    toolChoice: call.toolChoice,
    settings: plain({ temperature, maxOutputTokens, topP, seed, reasoning }, text, ids),
    system: { sha: short(text(call.system)), text: textStart(text(call.system), SHOWN) },
    tools: Object.fromEntries(
      call.tools.map(({ name, description, inputSchema }) => [
        name,
        short(canonical(plain({ description, inputSchema }, text, ids))),
      ]),
    ),
    messages: call.messages.map((message, at) => {
      const said = shown(message, text, ids)
      return {
        role: message.role,
        sha: short(said),
        text: at > newest ? said : textStart(said, SHOWN),
      }
    }),
  }
}

/** Equal requests have the same; texts that are shown do not count, their hashes do. */
export const keyOf = ({ system, messages, ...rest }: RecordedRequest): string =>
  hashOf({ ...rest, system: system.sha, messages: messages.map(({ role, sha }) => [role, sha]) })

const short = (text: string): string => sha256(text).slice(0, DIGITS)

function shown(message: Message, text: (said: string) => string, ids: Map<string, string>): string {
  if (typeof message.content === 'string') return text(message.content)
  const parts = message.content.map((part) =>
    plain(
      {
        ...part,
        ...('data' in part && { data: sha256(JSON.stringify(part.data)).slice(0, DIGITS) }),
      },
      text,
      ids,
    ),
  )
  return parts
    .map((part) =>
      part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : canonical(part),
    )
    .join('\n')
}

/** As JSON, without what is meant for one provider alone. */
function plain(
  value: object,
  text: (said: string) => string,
  ids: Map<string, string>,
): JsonObject {
  const walk = (item: Json, key: string): Json => {
    if (typeof item === 'string') return key === 'toolCallId' ? numbered(item, ids) : text(item)
    if (isList(item)) return item.map((one) => walk(one, key))
    if (!isObject(item)) return item
    return Object.fromEntries(
      Object.entries(item).flatMap(([name, inner]) =>
        name === 'providerOptions' || inner === undefined ? [] : [[name, walk(inner, name)]],
      ),
    )
  }
  // an object in, an object out
  return walk(parseExact(JSON.stringify(value)) as JsonObject, '') as JsonObject
}

/** Ids of calls differ on each run, so they are numbered in order. */
function numbered(id: string, ids: Map<string, string>): string {
  const known = ids.get(id) ?? `call-${ids.size + 1}`
  ids.set(id, known)
  return known
}
