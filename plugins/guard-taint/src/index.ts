import { Clock, definePlugin } from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { z } from 'zod'
import { Guard } from './guard.ts'
import { TRUSTED } from './session-texts.ts'

const config = z.strictObject({
  inside: z
    .array(z.string().min(1))
    .default([])
    .describe('tools, besides stores, that change nothing outside of the agent'),
  flowChars: z
    .int()
    .min(0)
    .default(80)
    .describe(
      'characters of a text of one connection that a read of another one may carry; 0: any',
    ),
  maxChars: z
    .int()
    .min(10_000)
    .default(2_000_000)
    .describe('characters of a conversation that are searched; of older text the origin is unknown'),
  judge: z
    .enum(['off', 'model'])
    .default('off')
    .describe(
      'model: a write does not wait where a model, which sees nothing untrusted, finds that the person asked for it',
    ),
  trusted: z
    .array(z.enum(TRUSTED))
    .default([])
    .describe("what comes with a person's message and is theirs as well: images, files, context"),
})
export type Config = z.output<typeof config>

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

/** ms that a call waits for the model that judges, before it waits for a person. */
export const JUDGE_MS = 20_000

export default guardTaint
