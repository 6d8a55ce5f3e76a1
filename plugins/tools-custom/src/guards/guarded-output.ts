import { ok, type LanguageModel, type ModelSource, type StreamPart } from '@amodal/sdk'

type Stream = Awaited<ReturnType<LanguageModel['doStream']>>

/**
 * A model whose text is held until it has been judged as a whole; everything else passes at once.
 *
 * @param judge returns the text to show in its place, or nothing where it may be shown
 */
export const guardedOutput = (
  source: ModelSource,
  judge: (text: string) => Promise<string | undefined>,
): ModelSource => ({
  ...source,
  open() {
    const opened = source.open()
    if (!opened.ok) return opened
    const inner = opened.value
    const model: LanguageModel = {
      specificationVersion: 'v4',
      provider: inner.provider,
      modelId: inner.modelId,
      supportedUrls: inner.supportedUrls,
      doGenerate: (options) => inner.doGenerate(options),
      async doStream(options) {
        const streamed = await inner.doStream(options)
        return { ...streamed, stream: judged(streamed.stream, judge) }
      },
    }
    return ok(model)
  },
})

function judged(
  stream: Stream['stream'],
  judge: (text: string) => Promise<string | undefined>,
): Stream['stream'] {
  let held: StreamPart[] = []
  const release = async (): Promise<readonly StreamPart[]> => {
    const parts = held
    held = []
    const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
    const instead = text === '' ? undefined : await judge(text)
    if (instead === undefined) return parts
    const id = 'withheld'
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: instead },
      { type: 'text-end', id },
    ]
  }
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      async transform(part, controller) {
        switch (part.type) {
          case 'text-start':
          case 'text-delta':
          case 'text-end':
            held.push(part)
            // What waits for text sees that the model is at work.
            controller.enqueue({ type: 'raw', rawValue: null })
            return
          case 'tool-call':
          case 'finish':
          case 'error':
            for (const one of await release()) controller.enqueue(one)
            controller.enqueue(part)
            return
          default:
            controller.enqueue(part)
        }
      },
      async flush(controller) {
        for (const one of await release()) controller.enqueue(one)
      },
    }),
  )
}
