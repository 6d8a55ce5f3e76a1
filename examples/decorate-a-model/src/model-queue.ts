import { definePlugin, Health, ok, type LanguageModel, type StreamPart } from '@amodal/sdk'
import { z } from 'zod'
import { Places } from './places.ts'

/**
 * Asks a model no more than so many things at once, for one that runs on a machine of your own;
 * whatever comes then waits.
 */
export const modelQueue = definePlugin({
  name: 'model-queue',
  version: '1.0.0',
  provides: [Health],
  config: z.strictObject({
    provider: z.string().describe('whose models, such as "ollama"'),
    most: z.number().int().min(1).default(1).describe('calls at the same time'),
  }),
  setup({ config: { provider, most }, hooks, add }) {
    const places = new Places(most)
    // Which model a call goes to is known only now: it may have been routed, or be the one that
    // stands in for another.
    hooks.model.open.tap((source, call) =>
      call.config.provider !== provider
        ? undefined
        : {
            open() {
              const model = source.open()
              return model.ok ? ok(queued(model.value, places)) : model
            },
          },
    )
    add(Health, 'model-queue', () => ({ facts: { model_calls_waiting: places.waiting } }))
  },
})

/**
 * The same model, behind the queue. Its place is given back when its stream is over: at the end,
 * failed, or left by its reader.
 */
const queued = (model: LanguageModel, places: Places): LanguageModel => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (call) => model.doGenerate(call), // a turn streams
  async doStream(call) {
    const giveBack = await places.take(call.abortSignal)
    // `cancel`: its reader left, or what it reads failed
    const over = { flush: giveBack, cancel: giveBack }
    try {
      const made = await model.doStream(call)
      return {
        ...made,
        stream: made.stream.pipeThrough(new TransformStream<StreamPart, StreamPart>(over)),
      }
    } catch (cause) {
      giveBack()
      throw cause
    }
  },
})

export default modelQueue
