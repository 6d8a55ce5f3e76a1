import { ClientError, createClient, type SessionSummary } from '@amodal/sdk/client'
import { fieldOf, type Server } from './server.ts'
import { Ticks } from './ticks.ts'

/** A part of a file that changes; a line begins with `+`, `-` or a space. */
export interface Hunk {
  readonly old_start: number
  readonly new_start: number
  readonly lines: readonly string[]
}

export type ChangeKind = 'added' | 'changed' | 'removed'

export interface ProposedFile {
  readonly path: string
  readonly kind: ChangeKind
  /** The file decides what the agent may do, so it is accepted by its name alone. */
  readonly carries_rights: boolean
  readonly hunks: readonly Hunk[]
}

/** What a change does to rights, compared by the server. */
export interface Rights {
  readonly changes: readonly {
    readonly direction: 'more' | 'less' | 'other'
    readonly line: string
  }[]
  readonly truncated: boolean
  readonly problems: readonly string[]
  readonly not_compared: readonly string[]
}

export interface ProposedChange {
  readonly session_id: string
  readonly files: readonly ProposedFile[]
  /** `null`: no file of it carries rights. */
  readonly rights: Rights | null
}

/** The cases of evals that a change can make another result of. */
export interface RelatedEvals {
  readonly cases: readonly string[]
  /** A file that every case depends on. */
  readonly everything: string | null
  readonly total: number
  /** The run of them that was started. */
  readonly run?: string
}

export interface AppliedChange {
  readonly id: string
  readonly at: string
  readonly session_id: string | null
  readonly principal: string
  readonly files: readonly { readonly path: string; readonly kind: ChangeKind }[]
  /** The change that this one has undone. */
  readonly undoes: string | null
}

export interface Changes {
  readonly proposed: readonly ProposedChange[]
  readonly applied: readonly AppliedChange[]
}

export interface AgentFile {
  readonly path: string
  readonly carries_rights: boolean
}

export interface FileContent {
  readonly content: string
  readonly hash: string
}

export interface Secret {
  readonly name: string
  readonly set: boolean
  readonly where: string
}

/** What the admin agent offers beside its chat. Every method throws `ClientError`. */
export interface Admin {
  /** The server, with messages going to the admin agent. */
  readonly server: Server
  changes(): Promise<Changes>
  readonly ticks: Ticks
  /** @returns `null` where the agent has no evals */
  accept(session: string, files: readonly string[]): Promise<RelatedEvals | null>
  discard(session: string, files: readonly string[]): Promise<void>
  undo(change: string): Promise<RelatedEvals | null>
  /** @returns the id of the run */
  runEvals(evals: RelatedEvals): Promise<string>
  /** The newest conversations with the admin agent. */
  conversations(): Promise<readonly SessionSummary[]>
  files(): Promise<readonly AgentFile[]>
  file(path: string): Promise<FileContent>
  /**
   * Writes a file, where the agent still loads with it.
   *
   * @param hash of the text that was read: another one by now is refused
   */
  save(path: string, content: string, hash: string): Promise<void>
  secrets(): Promise<readonly Secret[]>
  storeSecret(name: string, value: string): Promise<void>
}

/** Secrets that proposed lines refer to: they are set before their files are accepted. */
export function secretsIn(proposed: readonly ProposedChange[]): readonly Secret[] {
  const found = new Map<string, Secret>()
  for (const { hunks, path } of proposed.flatMap(({ files }) => files))
    for (const line of hunks.flatMap(({ lines }) => lines))
      if (line.startsWith('+'))
        for (const [, name = ''] of line.matchAll(/\benv:([A-Za-z_]\w*)/g))
          found.set(name, { name, set: false, where: path })
  return [...found.values()]
}

const CHAT = '/chat/stream'
/** Conversations that are offered, and cases that one request can name. */
const CONVERSATIONS = 5
const MOST_CASES = 200

interface Decided {
  readonly evals?: RelatedEvals | null
}

const addressOfFile = (path: string): string =>
  `/api/files/${path.split('/').map(encodeURIComponent).join('/')}`

export function adminOf(server: Server): Admin {
  const client = createClient({
    url: location.origin,
    fetch: (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      return server.request(pathname === CHAT ? '/config/chat' : pathname + search, init)
    },
  })
  const call = async <T>(path: string, method = 'GET', body?: object): Promise<T> => {
    const response = await server.request(path, {
      method,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer as T // the server's contract
    throw new ClientError(
      fieldOf(answer, 'code') ?? 'INTERNAL',
      fieldOf(answer, 'message') ?? response.statusText,
      response.status,
    )
  }
  const change = (id: string): string => `/config/changes/${encodeURIComponent(id)}`
  return {
    server: { ...server, send: (message) => client.send(message) },
    changes: () => call('/config/changes'),
    ticks: new Ticks(),
    accept: async (session, files) =>
      (await call<Decided>(`${change(session)}/accept`, 'POST', { files })).evals ?? null,
    discard: (session, files) => call(`${change(session)}/discard`, 'POST', { files }),
    undo: async (id) => (await call<Decided>(`${change(id)}/undo`, 'POST', {})).evals ?? null,
    runEvals: async ({ cases, total }) => {
      const isAll = cases.length === total || cases.length > MOST_CASES
      const order = isAll ? {} : { cases }
      return (await call<{ readonly id: string }>('/api/evals/run', 'POST', order)).id
    },
    conversations: async () =>
      (await client.sessions({ kind: 'admin', limit: CONVERSATIONS })).sessions,
    files: async () => (await call<{ readonly files: readonly AgentFile[] }>('/api/files')).files,
    file: (path) => call(addressOfFile(path)),
    save: (path, content, hash) => call(addressOfFile(path), 'PUT', { content, hash }),
    secrets: async () =>
      (await call<{ readonly secrets: readonly Secret[] }>('/api/secrets')).secrets,
    storeSecret: (name, value) =>
      call(`/api/secrets/${encodeURIComponent(name)}`, 'PUT', { value }),
  }
}
