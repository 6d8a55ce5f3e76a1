import type { JsonObject, LanguageModel, ModelReply, StreamPart, Thought } from '@amodal/sdk'

type Metadata = NonNullable<Extract<StreamPart, { type: 'tool-call' }>['providerMetadata']>
type Finish = Extract<StreamPart, { type: 'finish' }>['finishReason']['unified']

const FINISHES: readonly Finish[] = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'other',
]

/**
 * A model that streams what another one has answered.
 *
 * @param reply as it stands in the journal
 */
export function recordedModel({
  model: { model, provider },
  ...reply
}: Pick<
  ModelReply,
  'model' | 'text' | 'reasoning' | 'thoughts' | 'calls' | 'usage' | 'finish'
>): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider,
    modelId: model,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('a recording holds streams only')),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<StreamPart>({
          start(controller) {
            for (const part of partsOf(reply)) controller.enqueue(part)
            controller.close()
          },
        }),
      }),
  }
}

function* partsOf({
  calls,
  finish,
  reasoning = '',
  text,
  thoughts = [],
  usage,
}: Omit<Parameters<typeof recordedModel>[0], 'model'>): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield* reasoningParts(reasoning, thoughts)
  if (text !== '') {
    yield { type: 'text-start', id: 'text' }
    yield { type: 'text-delta', id: 'text', delta: text }
    yield { type: 'text-end', id: 'text' }
  }
  for (const { id, input, name, providerOptions } of calls)
    yield {
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input,
      ...(providerOptions && { providerMetadata: metadataOf(providerOptions) }),
    }
  yield {
    type: 'finish',
    finishReason: { unified: FINISHES.find((one) => one === finish) ?? 'other', raw: finish },
    usage: {
      inputTokens: {
        total: usage.input,
        noCache: undefined,
        cacheRead: usage.cacheRead,
        cacheWrite: usage.cacheWrite,
      },
      outputTokens: { total: usage.output, text: undefined, reasoning: undefined },
    },
  }
}

/** The blocks in which it came, with what its provider has signed. */
function* reasoningParts(reasoning: string, thoughts: readonly Thought[]): Generator<StreamPart> {
  const blocks = thoughts.length > 0 ? thoughts : [{ chars: reasoning.length, options: {} }]
  if (reasoning === '' && thoughts.length === 0) return
  let at = 0
  for (const [index, { chars, options }] of blocks.entries()) {
    const id = `reasoning-${index}`
    const delta = reasoning.slice(at, (at += chars))
    yield { type: 'reasoning-start', id, providerMetadata: metadataOf(options) }
    if (delta !== '') yield { type: 'reasoning-delta', id, delta }
    yield { type: 'reasoning-end', id }
  }
}

// As its provider has sent it: objects by the name of the provider.
const metadataOf = (options: JsonObject): Metadata => ({ ...options }) as Metadata
