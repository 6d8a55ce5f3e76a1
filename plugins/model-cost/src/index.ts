import { definePlugin, Pricing } from '@amodal/sdk'
import { z } from 'zod'
import { marked } from './cache-marks.ts'
import { withPrices } from './price-file.ts'
import { PriceList } from './price-list.ts'

const dollars = z.number().min(0).max(1_000_000)

/**
 * Prices of model calls, and marks that make providers cache the beginning of a prompt.
 *
 * @example
 * use(modelCost, { prices: { 'ollama/qwen3': { input: 0, output: 0 } } })
 */
export const modelCost = definePlugin({
  name: 'model-cost',
  version: '0.1.0',
  provides: [Pricing],
  config: z.strictObject({
    prices: z
      .record(
        z.string(),
        z.strictObject({
          input: dollars,
          output: dollars,
          cacheRead: dollars.exactOptional(),
          cacheWrite: dollars.exactOptional(),
        }),
      )
      .default({})
      .describe(
        'dollars for a million tokens, by `provider/model` or `model`; before those that are built in',
      ),
    cacheMarks: z
      .boolean()
      .default(true)
      .describe('tell providers that want to be told which part of a prompt to keep'),
  }),
  setup({ config, provide, hooks }) {
    const prices = new PriceList(config.prices)
    provide(Pricing, () => prices)
    hooks.bundle.load.tap((bundle) => withPrices(bundle))
    if (config.cacheMarks) hooks.model.call.tap((call, ctx) => marked(call, ctx.session))
  },
})

export default modelCost
