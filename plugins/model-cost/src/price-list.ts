import { NANO, type AgentBundle, type ModelRef, type Pricing, type Usage } from '@amodal/sdk'
import { priceFileOf } from './price-file.ts'
import { type Price, PRICES } from './prices.ts'

/** Tokens that a price is for. */
const PER = 1_000_000

type Table = Readonly<Record<string, Price>>

/** What calls cost: by the agent's own file, then by configuration, then by what is published. */
export class PriceList implements Pricing {
  readonly #configured: Table
  /** A turn asks for the same few models again and again. */
  readonly #found = new WeakMap<AgentBundle, Map<string, Price | undefined>>()

  constructor(configured: Table) {
    this.#configured = configured
  }

  price(model: ModelRef, usage: Usage, bundle: AgentBundle): number | undefined {
    const price = this.of(model, bundle)
    return price && costOf(price, usage)
  }

  of({ provider, model }: ModelRef, bundle: AgentBundle): Price | undefined {
    const known = this.#found.get(bundle) ?? new Map<string, Price | undefined>()
    const name = `${provider}/${model}`
    if (!known.has(name)) {
      this.#found.set(bundle, known)
      known.set(
        name,
        [priceFileOf(bundle), this.#configured, PRICES]
          .map((table) => find(table, name, model))
          .find((price) => price !== undefined),
      )
    }
    return known.get(name)
  }
}

/** With its provider or without; a dated name has the price of the name without its date. */
function find(table: Table, name: string, model: string): Price | undefined {
  const [key] = [name, model, undated(name), undated(model)].filter((one) =>
    Object.hasOwn(table, one),
  )
  return key === undefined ? undefined : table[key]
}

const undated = (name: string): string => name.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')

/**
 * Billionths of a dollar. What came from a cache, and what went into one, is part of the input, at
 * a price of its own.
 */
export function costOf(
  { input, output, cacheRead = input, cacheWrite = input }: Price,
  usage: Usage,
): number {
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite)
  return Math.round(
    (fresh * input +
      usage.cacheRead * cacheRead +
      usage.cacheWrite * cacheWrite +
      usage.output * output) *
      (NANO / PER),
  )
}
