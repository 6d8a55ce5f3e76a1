import { StreamingToolCallTracker, type StreamingToolCallDelta } from '@ai-sdk/provider-utils'
import type { StreamPart } from '@amodal/sdk'
import type { JSONObject, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { attachedToCall, KEY } from './attachments.ts'
import { isRecord, textOf } from './json.ts'

interface ToolDelta extends StreamingToolCallDelta {
  readonly signature: string | undefined
  /** What else the endpoint wants back with the call. */
  readonly attached: JSONObject | undefined
}

/**
 * Puts tool calls together from their pieces. Which piece belongs to which call is decided by the
 * tracker of the AI SDK, which knows the ways in which endpoints number and name them.
 */
export class ToolDeltas {
  readonly #tracker: StreamingToolCallTracker<ToolDelta>
  /** Pieces that came before the name of their call, by index. */
  readonly #nameless = new Map<number, ToolDelta>()
  readonly #named = new Set<number>()
  /** Of the newest call of an index; it grows with each of its deltas. */
  readonly #metadata = new Map<number, SharedV4ProviderMetadata>()
  /** What the end brings, once it has begun. */
  #ending: StreamPart[] | undefined

  constructor(emit: (part: StreamPart) => void) {
    this.#tracker = new StreamingToolCallTracker<ToolDelta>(
      {
        enqueue: (part?: StreamPart) => {
          if (part && this.#ending) this.#ending.push(part)
          else if (part) emit(part)
        },
      },
      {
        extractMetadata: (delta) => {
          const metadata = metadataOf(delta)
          if (delta.index != null) this.#metadata.set(delta.index, metadata)
          return metadata
        },
        buildToolCallProviderMetadata: (metadata = {}) =>
          Object.keys(metadata).length > 0 ? metadata : undefined,
      },
    )
  }

  /**
   * Throws `InvalidResponseDataError` on a call that cannot be told from its neighbours or has no
   * name.
   */
  push(value: unknown): void {
    const delta = readDelta(value)
    const { index } = delta
    if (index == null || this.#named.has(index)) {
      this.#tracker.processDelta(delta)
      if (index != null) Object.assign(this.#metadata.get(index) ?? {}, metadataOf(delta))
      return
    }
    const known = merge(this.#nameless.get(index), delta)
    if (known.function?.name == null) {
      this.#nameless.set(index, known)
      return
    }
    this.#nameless.delete(index)
    this.#named.add(index)
    this.#tracker.processDelta(known)
  }

  /** Completes every call; only for a stream that ended well. */
  end(): readonly StreamPart[] {
    const parts: StreamPart[] = []
    this.#ending = parts
    for (const delta of this.#nameless.values()) this.#tracker.processDelta(delta)
    this.#tracker.flush()
    return parts
  }
}

/** Gemini behind this protocol wants the signature of a call back with the call. */
const metadataOf = ({ signature, attached }: ToolDelta): SharedV4ProviderMetadata => ({
  ...(signature !== undefined && { google: { thoughtSignature: signature } }),
  ...(attached && { [KEY]: attached }),
})

function readDelta(value: unknown): ToolDelta {
  const delta = isRecord(value) ? value : {}
  const call = isRecord(delta.function) ? delta.function : {}
  const google =
    isRecord(delta.extra_content) && isRecord(delta.extra_content.google)
      ? delta.extra_content.google
      : {}
  return {
    ...(typeof delta.index === 'number' ? { index: delta.index } : {}),
    ...(typeof delta.id === 'string' ? { id: delta.id } : {}),
    function: {
      ...(typeof call.name === 'string' ? { name: call.name } : {}),
      ...(call.arguments == null ? {} : { arguments: argumentsOf(call.arguments) }),
    },
    signature: textOf(google.thought_signature),
    attached: attachedToCall(delta) as JSONObject | undefined, // it was read from JSON
  }
}

/** Some servers send the arguments as an object, where the protocol has JSON text. */
function argumentsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function merge(before: ToolDelta | undefined, delta: ToolDelta): ToolDelta {
  if (before === undefined) return delta
  return {
    ...before,
    ...delta,
    function: {
      ...delta.function,
      arguments: (before.function?.arguments ?? '') + (delta.function?.arguments ?? ''),
    },
    signature: before.signature ?? delta.signature,
    attached: before.attached ?? delta.attached,
  }
}
