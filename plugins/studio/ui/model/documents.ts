import type { SessionSummary } from '@amodal/sdk/client'
import { structuredPatch } from 'diff'
import type { Hunk } from './admin.ts'
import { ClientError } from '@amodal/sdk/client'
import { fieldOf, type Server } from './server.ts'

export type DocumentKind = 'skills' | 'knowledge'

/** A skill or a document of knowledge. */
export interface DocumentSummary {
  readonly name: string
  /** Of knowledge. */
  readonly title?: string
  readonly tags?: readonly string[]
  /** Of skills. */
  readonly description?: string
  readonly trigger?: string
  /** `null`: it is in the database, approved by people of this tenant. */
  readonly file: string | null
  readonly chars: number
  /** Left out in a single one. */
  readonly loaded?: 'always' | 'on_demand'
  readonly problems: readonly {
    readonly code: string
    readonly severity: string
    readonly message: string
    readonly line?: number
  }[]
}

export interface DocumentShown extends DocumentSummary {
  readonly text: string
  readonly compatibility?: string
  readonly allowed_tools?: readonly string[]
}

export async function documentsOf(
  server: Server,
  kind: DocumentKind,
): Promise<readonly DocumentSummary[]> {
  const body = await read<Readonly<Record<DocumentKind, readonly DocumentSummary[]>>>(
    server,
    `/inspect/${kind}`,
  )
  return body[kind]
}

export const documentNamed = (
  server: Server,
  kind: DocumentKind,
  name: string,
): Promise<DocumentShown> => read(server, `/inspect/${kind}/${encodeURIComponent(name)}`)

async function read<T>(server: Server, path: string): Promise<T> {
  const response = await server.request(path)
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T // the server's contract
  throw new ClientError(
    fieldOf(body, 'code') ?? 'INTERNAL',
    fieldOf(body, 'message') ?? response.statusText,
    response.status,
  )
}

/** The tool whose calls are proposals. */
export const PROPOSE = 'propose_knowledge'
/** Sessions that wait, which are looked through for proposals. */
const MOST_SESSIONS = 50

/** Sessions in which a proposed document waits for a decision, the oldest first. */
export async function proposalsOf(server: Server): Promise<readonly SessionSummary[]> {
  const { sessions } = await server.sessions({ waiting: true, limit: MOST_SESSIONS })
  const details = await Promise.all(sessions.map(({ id }) => server.session(id)))
  const proposing = new Set(
    details
      .filter(({ pending_input: asks }) =>
        asks.some(({ pending_input_context: context }) => context['tool'] === PROPOSE),
      )
      .map(({ id }) => id),
  )
  return sessions
    .filter(({ id }) => proposing.has(id))
    .toSorted((a, b) => a.updated_at.localeCompare(b.updated_at))
}

/** What a proposal changes of a document. */
export const hunksBetween = (before: string, after: string): readonly Hunk[] =>
  structuredPatch('', '', ended(before), ended(after)).hunks.map(
    ({ lines, newStart, oldStart }) => ({
      old_start: oldStart,
      new_start: newStart,
      lines,
    }),
  )

/** A last line that has no end is no difference. */
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
