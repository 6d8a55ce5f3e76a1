import { definePlugin, Models, ok } from '@amodal/sdk'
import { z } from 'zod'
import { createDemoModel, DEMO_MODEL } from './model.ts'

/** Everything else comes first. */
const LAST = 1_000

/**
 * The model of a first run: no key, no network, no intelligence. It serves where nothing else can,
 * and says so at the beginning of each session and in `/health`.
 */
export const modelDemo = definePlugin({
  name: 'model-demo',
  version: '0.1.0',
  provides: [Models],
  config: z.strictObject({
    variables: z
      .array(z.string().min(1))
      .min(1)
      .default([
        'ANTHROPIC_API_KEY',
        'OPENAI_API_KEY',
        'GOOGLE_API_KEY',
        'AMODAL_BASE_URL with AMODAL_MODEL',
      ])
      .describe('variables that bring a real model, as they are named to people'),
  }),
  setup({ config, add }) {
    const instead = `Set ${config.variables.slice(0, -1).join(', ')}${config.variables.length > 1 ? ' or ' : ''}${config.variables.at(-1) ?? ''} for a real one.`
    const model = createDemoModel(
      `*Demo model: no AI is behind this, only matching of words. ${instead}*`,
    )
    add(Models, 'demo', {
      model: () => ok(model),
      detect: () => ({ config: { provider: 'demo', model: DEMO_MODEL }, rank: LAST }),
      status: () => ({
        provider: 'demo',
        keySet: true,
        standIn: true,
        notice: `The demo model matches words and has no intelligence. ${instead}`,
      }),
    })
  },
})

export default modelDemo
