import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { StoreRead } from '../src/protocol.ts'
import { port, problemOf, type Reply } from './port.ts'
import { theme } from './theme.ts'

type Payload = Readonly<Record<string, unknown>>

/** A document with what the store knows of it. */
interface Document {
  readonly key: string
  readonly version: number
  readonly payload: Payload
  readonly meta: Payload
}

interface ListOptions {
  readonly filter?: Payload
  readonly sort?: { readonly field: string; readonly order?: 'asc' | 'desc' }
  readonly limit?: number
  readonly offset?: number
  /** ms between refreshes, beside those for changes. */
  readonly refreshInterval?: number
}

/** Documents that a list has where the page names no limit. */
const LIMIT = 100
const SHORTEST_INTERVAL_MS = 1_000

/** Documents of a store: read anew whenever one of them changes. */
export function useStoreList(store: string, options: ListOptions = {}) {
  const { filter, sort, limit = LIMIT, offset, refreshInterval } = options
  const query = new URLSearchParams({
    limit: String(limit),
    ...(filter && { filter: JSON.stringify(filter) }),
    ...(sort && { sort: `${sort.order === 'desc' ? '-' : ''}${sort.field}` }),
    ...(offset !== undefined && { offset: String(offset) }),
  }).toString()
  const { value, ...state } = useRead(store, undefined, query, refreshInterval, listOf)
  const documents = value?.documents
  const data = useMemo(() => documents?.map(({ payload }) => payload), [documents])
  return { data, documents, total: value?.total, hasMore: value?.hasMore ?? false, ...state }
}

/** One document of a store; `data` is `undefined` where there is none with this key. */
export function useStore(
  store: string,
  key: string | undefined,
  { refreshInterval }: Pick<ListOptions, 'refreshInterval'> = {},
) {
  const { value, ...state } = useRead(store, key ?? '', undefined, refreshInterval, documentOf)
  return { data: value?.document?.payload, document: value?.document, ...state }
}

interface Documents {
  readonly documents: readonly Document[]
  readonly total: number
  readonly hasMore: boolean
}

function listOf(reply: Reply): Documents {
  if (reply.status !== 200) throw problemOf(reply)
  return JSON.parse(reply.body) as Documents // the server's contract
}

function documentOf(reply: Reply): { readonly document?: Document } {
  if (reply.status === 404 && /no such document/.test(reply.body)) return {}
  if (reply.status !== 200) throw problemOf(reply)
  return JSON.parse(reply.body) as { readonly document: Document } // the server's contract
}

interface ReadState<T> {
  readonly value: T | undefined
  readonly loading: boolean
  readonly error: Error | undefined
}

/** @param key of a document, `''` for none yet, `undefined` for the list */
function useRead<T>(
  store: string,
  key: string | undefined,
  query: string | undefined,
  refreshInterval: number | undefined,
  parse: (reply: Reply) => T,
): ReadState<T> & { readonly refresh: () => void } {
  const [state, setState] = useState<ReadState<T>>({
    value: undefined,
    loading: true,
    error: undefined,
  })
  const reread = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (key === '') {
      setState({ value: undefined, loading: false, error: undefined })
      return
    }
    const reading = new Reading(
      { store, ...(key !== undefined && { key }), ...(query !== undefined && { query }) },
      (reply) => setState(stateOf(reply, parse)),
    )
    reread.current = () => reading.refresh()
    setState((now) => ({ ...now, loading: true }))
    reading.refresh()
    const unwatch = port.watch(store, () => reading.refresh())
    const timer =
      refreshInterval === undefined
        ? undefined
        : setInterval(() => reading.refresh(), Math.max(SHORTEST_INTERVAL_MS, refreshInterval))
    return () => {
      reading.close()
      unwatch()
      clearInterval(timer)
    }
  }, [store, key, query, refreshInterval, parse])
  const refresh = useCallback(() => reread.current(), [])
  return { ...state, refresh }
}

function stateOf<T>(reply: Reply, parse: (reply: Reply) => T): ReadState<T> {
  try {
    return { value: parse(reply), loading: false, error: undefined }
  } catch (cause) {
    return {
      value: undefined,
      loading: false,
      error: cause instanceof Error ? cause : new Error(String(cause)),
    }
  }
}

/** One read at a time: what changes while it runs is read after it, once. */
class Reading {
  readonly #read: StoreRead
  readonly #onReply: (reply: Reply) => void
  #isReading = false
  #isStale = false
  #isClosed = false

  constructor(read: StoreRead, onReply: (reply: Reply) => void) {
    this.#read = read
    this.#onReply = onReply
  }

  refresh(): void {
    if (this.#isReading) this.#isStale = true
    else void this.#run()
  }

  close(): void {
    this.#isClosed = true
  }

  async #run(): Promise<void> {
    this.#isReading = true
    do {
      this.#isStale = false
      const reply = await port.read(this.#read)
      if (!this.#isClosed) this.#onReply(reply)
    } while (this.#isStale && !this.#isClosed)
    this.#isReading = false
  }
}

interface SkillState {
  readonly loading: boolean
  readonly error: Error | undefined
  /** Of the conversation that the last call began. */
  readonly sessionId: string | undefined
}

/** Asks the agent to use a skill, in a conversation of the person who looks at the page. */
export function useSkillAction(
  skill: string,
  { onDone }: { readonly onDone?: (sessionId: string) => void } = {},
) {
  const [state, setState] = useState<SkillState>({
    loading: false,
    error: undefined,
    sessionId: undefined,
  })
  const done = useRef(onDone)
  done.current = onDone
  const invoke = useCallback(
    async ({ query }: { readonly query: string }): Promise<void> => {
      setState((now) => ({ ...now, loading: true, error: undefined }))
      const reply = await port.invoke(skill, query)
      const isDone = reply.status === 200
      const { sessionId } = isDone
        ? (JSON.parse(reply.body) as { readonly sessionId: string }) // the host's contract
        : { sessionId: undefined }
      setState({ loading: false, error: isDone ? undefined : problemOf(reply), sessionId })
      if (sessionId !== undefined) done.current?.(sessionId)
    },
    [skill],
  )
  return { invoke, ...state }
}

/** Opens another page, with parameters. */
export function navigate(
  page: string,
  params: Readonly<Record<string, string | number | boolean>> = {},
): void {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, String(value)]),
  ).toString()
  const path = `/pages/${encodeURIComponent(page)}`
  port.send({ op: 'open', href: query === '' ? path : `${path}?${query}` })
}

/** Light or dark, as the window around has it. */
export const useTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(theme.subscribe, () => theme.current)
