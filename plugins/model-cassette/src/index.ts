import { definePlugin, Health, OutputRedactor, Secrets } from '@amodal/sdk'
import { Cassette } from './cassette.ts'
import { settings } from './settings.ts'

/**
 * Records what models send, and replays it where there is no model: for evals and builds that cost
 * nothing and come out the same each time.
 *
 * @example
 * use(modelCassette, { mode: 'replay' })
 * // → or by name in amodal.json, and then: AMODAL_CASSETTE=replay
 */
export const modelCassette = definePlugin({
  name: 'model-cassette',
  version: '0.1.0',
  reaches: { files: ['*'] },
  requires: { secrets: Secrets },
  optional: { outgoing: OutputRedactor },
  provides: [Health],
  config: settings,
  adjustConfig: (raw, env) =>
    env['AMODAL_CASSETTE']
      ? { ...raw, mode: env['AMODAL_CASSETTE'].trim().toLowerCase() }
      : undefined,
  setup({ config, deps, add, hooks, onBoot, log }) {
    if (config.mode === 'off') return
    const cassette = new Cassette(config, deps.secrets, deps.outgoing)
    // Innermost, so that other wrappers see the same as with the real model.
    hooks.model.open.tap((source, call, ctx) => cassette.open(source, call, ctx), {
      stage: 'first',
    })
    // A miss stays a miss: neither a retry nor another model helps.
    hooks.model.failed.tap(
      ({ code, message }) =>
        code === 'CASSETTE_MISS' ? { action: 'stop', reason: message } : undefined,
      { stage: 'first' },
    )
    add(Health, 'model-cassette', () => ({ facts: { cassette: config.mode } }))
    onBoot(() => {
      log.warn('cassette.active', { mode: config.mode, folder: config.folder })
    })
  },
})

export default modelCassette
