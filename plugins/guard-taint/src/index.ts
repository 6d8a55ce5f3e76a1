import { Clock, definePlugin } from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { Guard } from './guard.ts'
import { JUDGE_MS, settings as config } from './settings.ts'

/**
 * In a conversation that holds untrusted content, a write outside waits for a person, who sees
 * where its values come from. It does not wait where the author declared `taint: "ignore"`, a
 * person granted it for the conversation, or the optional judge finds it asked for.
 */
export const guardTaint = definePlugin({
  name: 'guard-taint',
  version: '0.1.0',
  requires: { clock: Clock },
  optional: { assets: AssetStore },
  after: ['guard-access'],
  config,
  setup({ config: settings, hooks, generation, deps: { clock, assets }, log }) {
    const guard = new Guard({ settings, clock, assets, log, generation })
    hooks.tools.list.tap(
      (list, ctx) => {
        guard.listed(list, ctx)
        return undefined
      },
      { stage: 'last' },
    )
    hooks.tool.guard.tap((verdict, call, ctx) => guard.judge(verdict, call, ctx), {
      stage: 'guard',
      ...(settings.judge === 'model' && { timeoutMs: 2 * JUDGE_MS }),
    })
  },
})

export default guardTaint
