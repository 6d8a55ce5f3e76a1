import { isObject, type LanguageModel, sleep, type StreamPart } from '@amodal/sdk'
import type { CassetteSettings } from './settings.ts'
import { errorFrom, type Line } from './tape.ts'

/** A model that replays the recorded parts of another one. */
export function playing(
  take: readonly Line[],
  { provider, model }: { readonly provider: string; readonly model: string },
  pace: CassetteSettings['pace'],
): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider,
    modelId: model,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('a cassette holds streams only')),
    async doStream({ abortSignal: signal }) {
      const began = performance.now()
      const due = async ({ at }: Line): Promise<void> => {
        if (pace === 'recorded') await sleep(Math.max(0, at - (performance.now() - began)), signal)
        signal?.throwIfAborted()
      }
      const [first] = take
      if (first && 'thrown' in first) {
        await due(first)
        throw errorFrom(first.thrown)
      }
      const left = take.values()
      return {
        stream: new ReadableStream<StreamPart>({
          async pull(controller) {
            const { value: line, done } = left.next()
            if (done) return controller.close()
            await due(line)
            if ('thrown' in line) controller.error(errorFrom(line.thrown))
            else controller.enqueue(partOf(line.part))
          },
        }),
      }
    },
  }
}

function partOf(json: Extract<Line, { part: object }>['part']): StreamPart {
  const part = json as unknown as StreamPart // as one was written down
  return part.type === 'error' && isObject(json['error'])
    ? { type: 'error', error: errorFrom(json['error']) }
    : part
}
