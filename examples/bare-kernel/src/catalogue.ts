import { definePlugin } from '@amodal/kernel'
import { z } from 'zod'
import { Coupons, Prices, Totalling } from './tokens.ts'

const Cents = z.number().int().nonnegative()

/** Knows the prices, the coupons, and when shipping is free. */
export const catalogue = definePlugin({
  name: 'catalogue',
  version: '1.0.0',
  provides: [Prices, Coupons],
  config: z.object({
    prices: z.record(z.string(), Cents),
    coupons: z.record(z.string(), z.number().int().min(1).max(100)).default({}),
    freeShippingFromCents: Cents.optional(),
  }),
  setup({ config, provide, add, tap }) {
    const { prices, coupons, freeShippingFromCents: free } = config
    provide(Prices, () => ({
      of: (article) => (Object.hasOwn(prices, article) ? prices[article] : undefined),
    }))
    for (const [code, percent] of Object.entries(coupons)) add(Coupons, code, { percent })
    tap(Totalling, (total) =>
      free !== undefined && total.articlesCents >= free
        ? { ...total, shippingCents: 0 }
        : undefined,
    )
  },
})
