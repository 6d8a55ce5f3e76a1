import { defineHook, registry, slot, waterfall, type Result } from '@amodal/kernel'

/** A slot: exactly one plugin says what articles cost. */
export interface Prices {
  /** In cents; `undefined` where there is no such article. */
  of(article: string): number | undefined
}
export const Prices = slot.kernel<Prices>('prices')

/** A registry: any plugin adds coupons, each by the code that a customer types. */
export interface Coupon {
  readonly percent: number
}
export const Coupons = registry<Coupon>('coupons')

export interface Total {
  readonly articlesCents: number
  readonly shippingCents: number
}

/** A hook: called with each total before the customer sees it. A tap may return another total. */
export const Totalling = defineHook(
  'checkout.totalling',
  waterfall<[total: Total]>({
    onError: 'fail',
    timeoutMs: 1_000,
    check: ({ articlesCents, shippingCents }) =>
      articlesCents < 0 || shippingCents < 0 ? 'a total may not be negative' : undefined,
  }),
)

/** The other slot: what this program is for. */
export interface Checkout {
  /** Fails with the reason, in words for the customer. */
  total(articles: readonly string[], coupon?: string): Promise<Result<Total, string>>
}
export const Checkout = slot.kernel<Checkout>('checkout')
