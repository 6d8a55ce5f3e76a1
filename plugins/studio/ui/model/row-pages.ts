import type { StoredDocument } from './server.ts'
import { problemOf } from './server.ts'
import type { StorePage } from './stores.ts'

/** Rows of one request. */
export const PAGE_ROWS = 100
/** Pages that are held; those that are farthest from what is looked at go first. */
const MOST_PAGES = 40
/** ms that a view rests before its rows are requested: a fast scroll requests none on its way. */
const REST_MS = 60
/** ms between two reloads while documents change. */
const RELOAD_MS = 500
/** Requests at once. */
const MOST_REQUESTS = 2

type Load = (offset: number, limit: number, signal: AbortSignal) => Promise<StorePage>

/**
 * Rows of a long list, loaded page by page as they come into view. What is shown stays until its
 * newer version has arrived.
 */
export class RowPages {
  readonly #load: Load
  readonly #pages = new Map<number, readonly StoredDocument[]>()
  readonly #stale = new Set<number>()
  readonly #requests = new Map<number, AbortController>()
  readonly #listeners = new Set<() => void>()
  #wanted: readonly number[] = [0]
  #rest: ReturnType<typeof setTimeout> | undefined
  #reload: ReturnType<typeof setTimeout> | undefined
  #closed = false
  /** `undefined` until the first page has arrived. */
  total: number | undefined
  problem: string | undefined
  /** Counts up with every change. */
  version = 0

  constructor(load: Load) {
    this.#load = load
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): number => this.version

  row(index: number): StoredDocument | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS]
  }

  open(): void {
    this.#closed = false
    this.#request()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#rest)
    clearTimeout(this.#reload)
    this.#reload = undefined
    for (const request of this.#requests.values()) request.abort()
    this.#requests.clear()
  }

  /** Says which rows are in view. */
  want(first: number, last: number): void {
    const from = Math.floor(Math.max(0, first) / PAGE_ROWS)
    const to = Math.floor(Math.max(0, last) / PAGE_ROWS)
    this.#wanted = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    for (const [page, request] of this.#requests) if (!this.#wanted.includes(page)) request.abort()
    clearTimeout(this.#rest)
    if (!this.#wanted.every((page) => this.#isThere(page)))
      this.#rest = setTimeout(() => this.#request(), REST_MS)
  }

  /** Documents have changed: what is in view is read anew, at most twice a second. */
  readonly invalidate = (): void => {
    if (this.#reload !== undefined) return
    this.#reload = setTimeout(() => {
      this.#reload = undefined
      this.refresh()
    }, RELOAD_MS)
  }

  readonly refresh = (): void => {
    for (const page of this.#pages.keys())
      if (this.#wanted.includes(page)) this.#stale.add(page)
      else this.#pages.delete(page)
    // what is under way may have been read before the change
    for (const request of this.#requests.values()) request.abort()
    this.#requests.clear()
    this.#request()
  }

  #isThere(page: number): boolean {
    const isBeyond = this.total !== undefined && page > 0 && page * PAGE_ROWS >= this.total
    return isBeyond || (this.#pages.has(page) && !this.#stale.has(page))
  }

  #request(): void {
    if (this.#closed) return
    for (const page of this.#wanted) {
      if (this.#requests.size >= MOST_REQUESTS) return
      if (!this.#isThere(page) && !this.#requests.has(page)) void this.#read(page)
    }
  }

  async #read(page: number): Promise<void> {
    const request = new AbortController()
    this.#requests.set(page, request)
    let isFailed = false
    try {
      const { documents, total } = await this.#load(page * PAGE_ROWS, PAGE_ROWS, request.signal)
      if (request.signal.aborted) return
      this.#pages.set(page, documents)
      this.#stale.delete(page)
      this.total = total
      this.problem = undefined
      this.#forget(page)
    } catch (cause) {
      if (request.signal.aborted) return
      isFailed = true
      this.problem = problemOf(cause)
    } finally {
      if (this.#requests.get(page) === request) this.#requests.delete(page)
      // a request that failed is sent anew when the view moves or is refreshed
      if (!isFailed) this.#request()
    }
    this.version++
    for (const listener of this.#listeners) listener()
  }

  #forget(near: number): void {
    const others = [...this.#pages.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near))
    for (const page of others.slice(0, Math.max(0, others.length - MOST_PAGES))) {
      this.#pages.delete(page)
      this.#stale.delete(page)
    }
  }
}
