import type { LanguageModel, Prompt, StreamPart } from '@amodal/sdk'
import { historyProblem } from './strict-history.ts'

export interface ScriptedCall {
  readonly name: string
  readonly args?: unknown
  /** Left out: `call-1`, `call-2` … over the whole script. */
  readonly id?: string
  /** Sent as it stands, in place of `args`. */
  readonly input?: string
}

/** What the model does with one request. */
export interface Reply {
  /** A list is one delta each. */
  readonly text?: string | readonly string[]
  readonly calls?: readonly ScriptedCall[]
  readonly finish?: 'stop' | 'length' | 'tool-calls' | 'content-filter'
  /** Of the input and of the output; or one number for both. */
  readonly tokens?: number | { readonly input: number; readonly output: number }
  /** After the text, before the calls: what the model waits for. */
  readonly until?: Promise<unknown>
  /** After the text: the stream fails with this. */
  readonly breaks?: string
  /** Never says that it has finished. */
  readonly unfinished?: boolean
}

/** What the model was asked. */
export interface Asked {
  readonly n: number
  readonly prompt: Prompt
  /** The newest words of the person. */
  readonly said: string
  /** The outcomes that the prompt ends with, by the id of their call. */
  readonly results: Readonly<Record<string, string>>
  readonly tools: readonly string[]
  readonly toolChoice: string
  readonly maxOutputTokens: number | undefined
  readonly temperature: number | undefined
  readonly signal: AbortSignal | undefined
}

/** Replies one after another, the last one again and again; or a function of the request. */
export type Script = readonly Reply[] | ((asked: Asked) => Reply | Promise<Reply>)

export interface ScriptedModel {
  readonly model: LanguageModel
  readonly asked: readonly Asked[]
  /** What a strict endpoint would have refused in the histories so far. */
  readonly refused: readonly string[]
  play(script: Script): void
}

/**
 * A model at the provider level: exactly these parts, at exactly this time. It remembers what a
 * strict endpoint would refuse.
 */
export function scriptedModel(first: Script): ScriptedModel {
  let script = first
  let from = 0
  let calls = 0
  const asked: Asked[] = []
  const refused: string[] = []
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('nobody generates without a stream')),
    async doStream({ prompt, tools = [], toolChoice, abortSignal, maxOutputTokens, temperature }) {
      const problem = historyProblem(prompt)
      if (problem !== undefined) refused.push(problem)
      const one: Asked = {
        n: asked.length - from,
        prompt: structuredClone(prompt),
        said: lastWords(prompt),
        results: resultsOf(prompt),
        tools: tools.map(({ name }) => name),
        toolChoice: toolChoice?.type ?? 'auto',
        maxOutputTokens,
        temperature,
        signal: abortSignal,
      }
      asked.push(one)
      const reply =
        typeof script === 'function'
          ? await script(one)
          : (script[Math.min(one.n, script.length - 1)] ?? { text: 'nothing to say' })
      return { stream: play(reply, () => `call-${++calls}`, abortSignal) }
    },
  }
  return {
    model,
    asked,
    refused,
    play(next) {
      script = next
      from = asked.length
    },
  }
}

function play(
  reply: Reply,
  nextId: () => string,
  signal: AbortSignal | undefined,
): ReadableStream<StreamPart> {
  const { text = [], calls = [], tokens = 10 } = reply
  const texts = typeof text === 'string' ? [text] : text
  async function* parts(): AsyncGenerator<StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    if (texts.length > 0) yield { type: 'text-start', id: 't' }
    for (const delta of texts) yield { type: 'text-delta', id: 't', delta }
    if (reply.until) await Promise.race([reply.until, aborted(signal)])
    if (reply.breaks !== undefined) throw new Error(reply.breaks)
    if (texts.length > 0) yield { type: 'text-end', id: 't' }
    for (const { name, args = {}, id, input } of calls)
      yield {
        type: 'tool-call',
        toolCallId: id ?? nextId(),
        toolName: name,
        input: input ?? JSON.stringify(args),
      }
    if (reply.unfinished) return
    const unified = reply.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')
    yield {
      type: 'finish',
      finishReason: { unified, raw: unified },
      usage:
        typeof tokens === 'number' ? usageOf(tokens, tokens) : usageOf(tokens.input, tokens.output),
    }
  }
  const source = parts()
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const { done, value } = await source.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

const usageOf = (
  input: number,
  output: number,
): Extract<StreamPart, { type: 'finish' }>['usage'] => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
})

const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const leave = (): void => reject(new Error('the caller left'))
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
  })

function lastWords(prompt: Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  return last?.role === 'user'
    ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    : ''
}

function resultsOf(prompt: Prompt): Readonly<Record<string, string>> {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') return {}
  return Object.fromEntries(
    last.content.flatMap((part) =>
      part.type === 'tool-result' ? [[part.toolCallId, shownResult(part.output)]] : [],
    ),
  )
}

const shownResult = (output: object): string => {
  const value: unknown = 'value' in output ? output.value : undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
