import { definePlugin, defineTool, Tools, type Plugin } from '@amodal/sdk'
import { z } from 'zod'

/** A tool with an effect that can be counted. */
export function pay(tier: 'allow' | 'confirm' | 'review'): {
  readonly plugin: Plugin
  readonly paid: readonly number[]
} {
  const paid: number[] = []
  const tool = defineTool({
    name: 'pay',
    description: 'Pays an amount.',
    readOnly: false,
    tier,
    input: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      paid.push(amount)
      return { status: 'success', output: { paid: amount } }
    },
  })
  return {
    paid,
    plugin: definePlugin({
      name: 'pay',
      version: '1.0.0',
      setup({ add }) {
        add(Tools, 'pay', { tools: () => [tool] })
      },
    }),
  }
}
