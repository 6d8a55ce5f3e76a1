interface Params {
  readonly order: string
  readonly amount: number
}

/** A shop would be called here. */
export default ({ order, amount }: Params) => ({ order, refunded: amount, currency: 'EUR' })
