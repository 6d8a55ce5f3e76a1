import type { JsonObject } from '@amodal/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { problemOf, type Server } from './server.ts'

/** Events that a log has, for the filter. */
export const AUDIT_EVENTS: readonly string[] = [
  'run_start',
  'run_end',
  'session_start',
  'session_end',
  'tool_call',
  'tool_denied',
  'write_op',
  'write_begun',
  'approval_asked',
  'approval_answered',
  'grant_revoked',
  'outcome_settled',
  'kb_proposal',
  'version_load',
  'request_refused',
  'erasure',
  'audit_acknowledged',
]

/** Which lines the address asks for; an empty text stands for any. */
export interface AuditSearch {
  readonly event: string
  readonly session: string
  readonly principal: string
}

/** A line of the log. */
export interface AuditEntry {
  readonly n: number
  readonly at?: string
  readonly event?: string
  readonly principal?: string
  readonly session_id?: string
  readonly outcome?: string | null
  readonly data?: JsonObject
}

/** What a verification found. */
export interface AuditReport {
  readonly ok: boolean
  readonly lines: number
  readonly checkpoints: number
  readonly problem_count: number
  readonly problems: readonly { readonly text: string; readonly fix: string }[]
  readonly acknowledged: readonly {
    readonly text: string
    readonly by: string
    readonly reason: string
  }[]
  readonly notes: readonly string[]
}

export function auditSearch(query: string): AuditSearch {
  const given = new URLSearchParams(query)
  const value = (name: string): string => given.get(name) ?? ''
  return { event: value('event'), session: value('session'), principal: value('principal') }
}

/** The query of an address for a search. */
export function searchText({ event, session, principal }: AuditSearch): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ event, session, principal }))
    if (value !== '') query.set(name, value)
  return query.toString()
}

/** ms that a verification of a long log may take. */
const VERIFY_MS = 120_000

export const verifyAudit = (server: Server, signal: AbortSignal): Promise<AuditReport> =>
  server.read<AuditReport>('/api/audit/verify', {
    method: 'POST',
    signal: AbortSignal.any([signal, AbortSignal.timeout(VERIFY_MS)]),
  })

interface Page {
  readonly entries: readonly AuditEntry[]
  readonly next_cursor: string | null
}

/** Lines of the log that a search finds, the newest first. */
export function useAudit(server: Server, search: AuditSearch) {
  const [page, setPage] = useState<Page>()
  const [problem, setProblem] = useState<string>()
  const last = useRef(0)
  const key = searchText(search)
  const load = useCallback(
    async (cursor: string): Promise<void> => {
      // what was asked for last is what is shown, in whichever order the responses come
      const number = ++last.current
      const query = new URLSearchParams(key)
      if (cursor !== '') query.set('cursor', cursor)
      try {
        const next = await server.read<Page>(`/api/audit?${query.toString()}`)
        if (number !== last.current) return
        setProblem(undefined)
        setPage((now) =>
          cursor === '' || !now ? next : { ...next, entries: [...now.entries, ...next.entries] },
        )
      } catch (cause) {
        if (number === last.current) setProblem(problemOf(cause))
      }
    },
    [server, key],
  )
  useEffect(() => {
    setPage(undefined)
    void load('')
  }, [load])
  const cursor = page?.next_cursor ?? null
  return {
    rows: page?.entries,
    hasMore: cursor !== null,
    problem,
    loadMore: () => void load(cursor ?? ''),
    refresh: () => void load(''),
  }
}
