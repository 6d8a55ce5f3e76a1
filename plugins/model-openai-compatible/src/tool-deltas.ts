import { StreamingToolCallTracker, type StreamingToolCallDelta } from '@ai-sdk/provider-utils'
import type { StreamPart } from '@amodal/sdk'
import { isRecord, textOf } from './json.ts'

interface ToolDelta extends StreamingToolCallDelta {
  readonly signature: string | undefined
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
        // Gemini behind this protocol wants the signature of a call back with the call.
        extractMetadata: (delta) =>
          delta.signature === undefined
            ? undefined
            : { google: { thoughtSignature: delta.signature } },
        buildToolCallProviderMetadata: (metadata) => metadata,
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
    if (index == null || this.#named.has(index)) return this.#tracker.processDelta(delta)
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
  }
}
