import { ok, type LanguageModel, type ModelSource, type StreamPart } from '@amodal/sdk'
import { jsonIn, type CheckedFormat } from './format.ts'

type CallOptions = Parameters<LanguageModel['doStream']>[0]
type Finish = Extract<StreamPart, { type: 'finish' }>

/**
 * A model whose final answers fit a format. Text is held back until the answer is complete; one
 * that does not fit is sent back to the model once, with what is wrong with it. A reply with tool
 * calls is no answer yet, and passes as it is.
 */
export const checkedSource = (source: ModelSource, format: CheckedFormat): ModelSource => ({
  open() {
    const model = source.open()
    return model.ok ? ok(checkedModel(model.value, format)) : model
  },
})

const checkedModel = (model: LanguageModel, format: CheckedFormat): LanguageModel => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (call) => model.doGenerate(call), // a turn streams
  async doStream(call) {
    const first = await model.doStream(call)
    return { ...first, stream: checkedStream(first.stream, { model, call, format }) }
  },
})

interface Checking {
  readonly model: LanguageModel
  readonly call: CallOptions
  readonly format: CheckedFormat
}

function checkedStream(
  parts: ReadableStream<StreamPart>,
  { model, call, format }: Checking,
): ReadableStream<StreamPart> {
  let reader = parts.getReader()
  return new ReadableStream<StreamPart>({
    async start(controller) {
      const first = await heldReply(reader, controller)
      const answer = answerIn(first, format)
      if (answer.kind !== 'wrong') return close(controller, first, answer)
      const repaired = await model.doStream(withProblem(call, first.text, answer.problem))
      reader = repaired.stream.getReader()
      const second = await heldReply(reader, controller)
      close(
        controller,
        { ...second, finish: joined(first.finish, second.finish) },
        answerIn(second, format),
      )
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** A reply whose text and end are held back; all else has been passed on. */
interface HeldReply {
  readonly text: string
  readonly hasCalls: boolean
  readonly finish: Finish | undefined
}

async function heldReply(
  reader: ReadableStreamDefaultReader<StreamPart>,
  controller: ReadableStreamDefaultController<StreamPart>,
): Promise<HeldReply> {
  let text = ''
  let hasCalls = false
  let finish: Finish | undefined
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value
    if (part.type === 'text-delta') {
      text += part.delta
      // whoever watches the stream sees that the model is at work
      controller.enqueue({ type: 'raw', rawValue: null })
    } else if (part.type === 'finish') finish = part
    else if (part.type !== 'text-start' && part.type !== 'text-end') {
      hasCalls ||= part.type === 'tool-call'
      controller.enqueue(part)
    }
  }
  return { text, hasCalls, finish }
}

type CheckedAnswer =
  | { readonly kind: 'passes'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problem: string }

/** What was cut off or refused by the provider is not asked for once more. */
function answerIn({ text, hasCalls, finish }: HeldReply, format: CheckedFormat): CheckedAnswer {
  if (hasCalls || finish?.finishReason.unified !== 'stop') return { kind: 'passes', text }
  const json = jsonIn(text, format)
  return json.ok ? { kind: 'passes', text: json.value } : { kind: 'wrong', problem: json.error }
}

/** An answer that is still wrong is passed on: the end of the turn says what is wrong with it. */
function close(
  controller: ReadableStreamDefaultController<StreamPart>,
  { text, finish }: HeldReply,
  answer: CheckedAnswer,
): void {
  const shown = answer.kind === 'passes' ? answer.text : text
  if (shown !== '') {
    controller.enqueue({ type: 'text-start', id: 'answer' })
    controller.enqueue({ type: 'text-delta', id: 'answer', delta: shown })
    controller.enqueue({ type: 'text-end', id: 'answer' })
  }
  if (finish) controller.enqueue(finish)
  controller.close()
}

function withProblem(call: CallOptions, text: string, problem: string): CallOptions {
  const wrong = text.trim() === '' ? '(nothing)' : text
  return {
    ...call,
    prompt: [
      ...call.prompt,
      { role: 'assistant', content: [{ type: 'text', text: wrong }] },
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: `This answer does not fit its JSON Schema: ${problem}. Answer with the corrected JSON and nothing else.`,
          },
        ],
      },
    ],
  }
}

/** The end of the second reply, with the usage of both. */
function joined(first: Finish | undefined, second: Finish | undefined): Finish | undefined {
  if (!first || !second) return second ?? first
  const [a, b] = [first.usage, second.usage]
  return {
    ...second,
    usage: {
      inputTokens: {
        total: sum(a.inputTokens.total, b.inputTokens.total),
        noCache: sum(a.inputTokens.noCache, b.inputTokens.noCache),
        cacheRead: sum(a.inputTokens.cacheRead, b.inputTokens.cacheRead),
        cacheWrite: sum(a.inputTokens.cacheWrite, b.inputTokens.cacheWrite),
      },
      outputTokens: {
        total: sum(a.outputTokens.total, b.outputTokens.total),
        text: sum(a.outputTokens.text, b.outputTokens.text),
        reasoning: sum(a.outputTokens.reasoning, b.outputTokens.reasoning),
      },
    },
  }
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
