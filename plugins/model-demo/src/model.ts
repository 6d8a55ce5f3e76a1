import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { LanguageModel, StreamPart } from '@amodal/sdk'
import type { DemoReply } from './demo-reply.ts'
import type { Thinker } from './thinker.ts'

export const DEMO_MODEL = 'words'

/**
 * A language model without any intelligence: it matches the words of a message against tools and
 * texts. It needs no key and no network, and says the same for the same prompt.
 *
 * @param notice one line, said at the beginning of each session
 */
export function createDemoModel(notice: string): LanguageModel {
  let thinker: Promise<Thinker> | undefined

  /** With a real model nobody asks this one, and a start need not load it. */
  async function think(options: LanguageModelV4CallOptions): Promise<DemoReply> {
    thinker ??= import('./thinker.ts').then((module) => new module.Thinker(notice))
    const said = (await thinker).think(options)
    options.abortSignal?.throwIfAborted()
    return said
  }

  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: DEMO_MODEL,
    supportedUrls: {},
    async doGenerate(options): Promise<LanguageModelV4GenerateResult> {
      options.abortSignal?.throwIfAborted()
      const said = await think(options)
      const calls = toolCalls(said, options).map((call) => ({
        type: 'tool-call' as const,
        ...call,
      }))
      return {
        content: [
          ...(said.text === '' ? [] : [{ type: 'text' as const, text: said.text }]),
          ...calls,
        ],
        ...endOf(said, options),
        warnings: [],
      }
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      const parts = partsOf(await think(options), options)
      return {
        stream: new ReadableStream<StreamPart>(
          {
            pull(controller) {
              options.abortSignal?.throwIfAborted()
              const next = parts.next()
              if (next.done) controller.close()
              else controller.enqueue(next.value)
            },
          },
          { highWaterMark: 0 },
        ),
      }
    },
  }
}

function* partsOf(said: DemoReply, options: LanguageModelV4CallOptions): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', modelId: DEMO_MODEL }
  if (said.text !== '') {
    yield { type: 'text-start', id: 'text' }
    for (const delta of said.text.match(/\s*\S+\s*$|\s*\S+/g) ?? [])
      yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  for (const call of toolCalls(said, options)) {
    yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName }
    yield { type: 'tool-input-delta', id: call.toolCallId, delta: call.input }
    yield { type: 'tool-input-end', id: call.toolCallId }
    yield { type: 'tool-call', ...call }
  }
  yield { type: 'finish', ...endOf(said, options) }
}

interface Call {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: string
}

function toolCalls({ calls }: DemoReply, options: LanguageModelV4CallOptions): readonly Call[] {
  const place = hash(JSON.stringify(options.prompt.slice(1)))
  return calls.map((call, n) => ({
    toolCallId: `demo_${options.prompt.length}_${place}_${n}`,
    toolName: call.tool,
    input: JSON.stringify(call.args),
  }))
}

function endOf(
  said: DemoReply,
  options: LanguageModelV4CallOptions,
): Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage'> {
  const calls = said.calls.length > 0
  return {
    finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: calls ? 'tool_calls' : 'stop' },
    usage: usageOf(said, options),
  }
}

/** Four characters a token, as everybody estimates. */
function usageOf(said: DemoReply, options: LanguageModelV4CallOptions): LanguageModelV4Usage {
  const input = Math.ceil(
    (JSON.stringify(options.prompt).length + JSON.stringify(options.tools ?? []).length) / 4,
  )
  const output = Math.ceil(
    (said.text.length + (said.calls.length > 0 ? JSON.stringify(said.calls).length : 0)) / 4,
  )
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

/** FNV-1a: the same prompt gives its calls the same ids, another prompt others. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value >>> 0).toString(36)
}
