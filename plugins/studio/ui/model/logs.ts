import type { Json, JsonObject } from '@amodal/sdk'
import { useEffect, useState } from 'react'
import { problemOf, type Server } from './server.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Which lines the address asks for. */
export interface LogSearch {
  readonly level: LogLevel
  readonly q: string
}

export type LogLine = JsonObject & { readonly seq: number; readonly level: string }

export function logSearch(query: string): LogSearch {
  const given = new URLSearchParams(query)
  return {
    level: LOG_LEVELS.find((level) => level === given.get('level')) ?? 'info',
    q: given.get('q') ?? '',
  }
}

/** The query of an address for a search. */
export function searchText({ level, q }: LogSearch): string {
  const query = new URLSearchParams()
  if (level !== 'info') query.set('level', level)
  if (q !== '') query.set('q', q)
  return query.toString()
}

/** Facts of a line beside those that every line has. */
export const factsOf = (line: LogLine): readonly (readonly [string, Json])[] =>
  Object.entries(line).filter(([name]) => !HEAD.has(name))
const HEAD: ReadonlySet<string> = new Set(['seq', 'level', 'time', 'event', 'plugin'])

interface Report {
  readonly lines: readonly LogLine[]
  readonly newest: number
  readonly dropped: number
}

/** ms between two looks while the page is seen. */
const EVERY_MS = 2_000
/** Lines that are shown. */
const MOST = 500

export interface Logs {
  /** The newest first; `undefined` until they are known. */
  readonly lines: readonly LogLine[] | undefined
  readonly dropped: number
  readonly problem: string | undefined
}

/**
 * The newest lines of the log. Lines behind the last one are added as they are written; a server
 * that began anew begins its numbers anew, and then everything is read.
 */
export function useLogs(server: Server, { level, q }: LogSearch, isFollowed: boolean): Logs {
  const [logs, setLogs] = useState<Logs>({ lines: undefined, dropped: 0, problem: undefined })
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let newest = 0
    let shown: readonly LogLine[] = []
    const read = async (after: number): Promise<Report> => {
      const query = new URLSearchParams({ level, q, after: String(after), limit: String(MOST) })
      const report = await server.read<Report>(`/inspect/logs?${query.toString()}`)
      return report.newest < after ? read(0) : report
    }
    const look = async (): Promise<void> => {
      try {
        const report = await read(newest)
        if (isOver) return
        shown = report.newest < newest ? report.lines : [...report.lines, ...shown].slice(0, MOST)
        newest = report.newest
        setLogs({ lines: shown, dropped: report.dropped, problem: undefined })
      } catch (cause) {
        if (!isOver) setLogs((now) => ({ ...now, problem: problemOf(cause) }))
      }
      if (!isOver && isFollowed) timer = setTimeout(() => void next(), EVERY_MS)
    }
    const next = async (): Promise<void> => {
      if (document.visibilityState === 'visible') return look()
      timer = setTimeout(() => void next(), EVERY_MS)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [server, level, q, isFollowed])
  return logs
}
