import { open } from 'node:fs/promises'
import { definePlugin, err, ok } from '@amodal/kernel'
import { z } from 'zod'
import { Checkout, Coupons, Prices, Totalling, type Total } from './tokens.ts'

/** Adds up what a customer pays, and writes each total into a file. */
export const checkout = definePlugin({
  name: 'checkout',
  version: '1.0.0',
  requires: { prices: Prices, coupons: Coupons },
  provides: [Checkout],
  config: z.object({
    /** A file; totals are appended to it. */
    ledger: z.string(),
    shippingCents: z.number().int().nonnegative().default(490),
  }),
  setup({ config, deps, provide, generation, onBoot }) {
    let record: (total: Total) => Promise<void> = () => Promise.resolve()
    // `setup` registers and opens nothing. What is returned here is called when the plugin leaves.
    onBoot(async () => {
      const file = await open(config.ledger, 'a')
      record = (total) => file.appendFile(`${JSON.stringify(total)}\n`)
      return () => file.close()
    })

    provide(Checkout, () => ({
      async total(articles, code) {
        const coupon = code === undefined ? undefined : deps.coupons().get(code)
        if (code !== undefined && coupon === undefined) return err(`there is no coupon ${code}`)
        let cents = 0
        for (const article of articles) {
          const price = deps.prices.of(article)
          if (price === undefined) return err(`there is no ${article}`)
          cents += price
        }
        const articlesCents = Math.round((cents * (100 - (coupon?.percent ?? 0))) / 100)
        const total = await generation()
          .hook(Totalling)
          .call({ articlesCents, shippingCents: config.shippingCents })
        if (!total.ok) return err(total.error.message)
        await record(total.value)
        return ok(total.value)
      },
    }))
  },
})
