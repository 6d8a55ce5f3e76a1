import { ok, type Failure, type Result } from '@amodal/sdk'
import type {
  EntryKey,
  FeedbackCounts,
  FeedbackEntry,
  FeedbackFilter,
  FeedbackShelf,
  Place,
  Rating,
} from './entry.ts'

/** Entries of one tenant that memory holds; the oldest make room. */
const MOST = 10_000

/** Feedback of all tenants in the memory of this process. */
export class MemoryShelves {
  readonly #shelves = new Map<string, MemoryShelf>()

  of(tenant: string): FeedbackShelf {
    const shelf = this.#shelves.get(tenant) ?? new MemoryShelf()
    this.#shelves.set(tenant, shelf)
    return shelf
  }

  clear(): void {
    this.#shelves.clear()
  }
}

const keyOf = ({ session, run, principal }: EntryKey): string =>
  JSON.stringify([session, run, principal])

class MemoryShelf implements FeedbackShelf {
  /** In the order in which they were given. */
  readonly #entries = new Map<string, FeedbackEntry>()

  async put(entry: FeedbackEntry): Promise<Result<FeedbackEntry, Failure>> {
    const key = keyOf(entry)
    const stored = { ...entry, id: this.#entries.get(key)?.id ?? entry.id }
    this.#entries.delete(key)
    this.#entries.set(key, stored)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest)
    return ok(stored)
  }

  async remove(key: EntryKey): Promise<Result<boolean, Failure>> {
    return ok(this.#entries.delete(keyOf(key)))
  }

  async list(
    filter: FeedbackFilter,
    { limit, after }: { readonly limit: number; readonly after?: Place },
  ): Promise<Result<readonly FeedbackEntry[], Failure>> {
    const rest = this.#matching(filter).toSorted(newestFirst)
    const next = after ? rest.filter((entry) => newestFirst(after, entry) < 0) : rest
    return ok(next.slice(0, limit))
  }

  async counts(filter: FeedbackFilter): Promise<Result<FeedbackCounts, Failure>> {
    const entries = this.#matching(filter)
    const days = tally(
      entries.map(({ at, rating }) => ({ name: new Date(at).toISOString().slice(0, 10), rating })),
    )
    const named = tally(
      entries.flatMap(({ categories, rating }) => categories.map((name) => ({ name, rating }))),
    )
    return ok({
      days: days
        .toSorted((a, b) => compare(b.name, a.name) || compare(b.rating, a.rating))
        .map(({ name, rating, count }) => ({ day: name, rating, count })),
      categories: named
        .toSorted((a, b) => b.count - a.count || compare(a.name, b.name))
        .map(({ name, rating, count }) => ({ category: name, rating, count })),
    })
  }

  async forget(session: string): Promise<Result<void, Failure>> {
    for (const [key, entry] of this.#entries)
      if (entry.session === session) this.#entries.delete(key)
    return ok(undefined)
  }

  #matching(filter: FeedbackFilter): readonly FeedbackEntry[] {
    return [...this.#entries.values()].filter((entry) => matches(entry, filter))
  }
}

const matches = (entry: FeedbackEntry, filter: FeedbackFilter): boolean =>
  is(filter.session, entry.session) &&
  is(filter.rating, entry.rating) &&
  is(filter.principal, entry.principal) &&
  (filter.category === undefined || entry.categories.includes(filter.category)) &&
  entry.at >= (filter.from ?? -Infinity) &&
  entry.at < (filter.to ?? Infinity)

const is = (wanted: string | undefined, value: string): boolean =>
  wanted === undefined || wanted === value

const newestFirst = (a: Place, b: Place): number => b.at - a.at || compare(b.id, a.id)

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

interface Tallied {
  readonly name: string
  readonly rating: Rating
  readonly count: number
}
function tally(items: readonly Omit<Tallied, 'count'>[]): readonly Tallied[] {
  const groups = Map.groupBy(items, ({ name, rating }) => JSON.stringify([name, rating]))
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? [{ ...first, count: rest.length + 1 }] : [],
  )
}
