import type { Json, JsonObject } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { fieldOf, type Server } from './server.ts'

/** Where a run stands. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'awaiting_input',
  'complete',
  'error',
  'canceled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Whether nothing comes any more. */
export const isEnded = (status: RunStatus): boolean =>
  status === 'complete' || status === 'error' || status === 'canceled'

/** A run of `GET /agents`. Times are ISO 8601. */
export interface RunSummary {
  readonly session_id: string
  readonly status: RunStatus
  readonly profile_id: string
  /** Its beginning, where it is long. */
  readonly task: string
  readonly started_by: string
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly turns_used: number
}

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreate: number
}

/** What a person is asked for. */
export interface PendingInput {
  readonly ask_id: string
  readonly pending_input_type: 'approval' | 'question' | 'form' | 'continue_or_finish'
  /** JSON Schema of the answer. */
  readonly pending_input_schema: JsonObject
  readonly pending_input_context: JsonObject
  readonly expires_at?: string
}

/** A run of `GET /agents/:id/status`, and of a `state` frame of its stream. */
export interface RunDetails extends RunSummary {
  readonly input_params: JsonObject | null
  readonly result: Json
  readonly result_summary: string | null
  readonly result_artifact_id: string | null
  readonly session_error?: string
  /** Why it was cancelled. */
  readonly reason?: string
  readonly pending_inputs?: readonly PendingInput[]
  readonly progress: {
    readonly toolsUsed: readonly { readonly toolId: string; readonly count: number }[]
    readonly tokensUsed: Tokens
  }
}

export interface RunProfile {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly max_turns: number | null
  readonly model: string | null
  readonly produces_artifact_type: string | null
}

export interface StartInput {
  readonly profile_id: string
  readonly task: string
  readonly input_params?: JsonObject
}

const AGENTS = '/api/platform/v1/agents'

/** Path of a run, or of something of it, such as `/status`. */
export const runPath = (id: string, part = ''): string =>
  `${AGENTS}/${encodeURIComponent(id)}${part}`

export interface RunPage {
  readonly sessions: readonly RunSummary[]
  readonly next_before: string | null
}

/** @param before cursor of a page; `null`: the newest */
export function readRuns(
  server: Server,
  status: RunStatus | undefined,
  before: string | null,
): Promise<RunPage> {
  const query = new URLSearchParams({ limit: '50' })
  if (status !== undefined) query.set('status', status)
  if (before !== null) query.set('before', before)
  return server.read(`${AGENTS}?${query.toString()}`)
}

export const readRun = (server: Server, id: string): Promise<RunDetails> =>
  server.read(runPath(id, '/status'))

export const readProfiles = async (server: Server): Promise<readonly RunProfile[]> =>
  (await server.read<{ readonly profiles: readonly RunProfile[] }>(`${AGENTS}/profiles`)).profiles

/**
 * Starts a run.
 *
 * @param key the same key with the same input is the same run
 * @returns the id of its session
 */
export async function startRun(server: Server, input: StartInput, key: string): Promise<string> {
  const started = await post<{ readonly session_id: string }>(server, `${AGENTS}/run`, input, key)
  return started.session_id
}

export const resumeRun = (
  server: Server,
  id: string,
  answer: { readonly ask_id: string; readonly input: JsonObject },
): Promise<unknown> => post(server, runPath(id, '/resume'), answer)

export const cancelRun = (server: Server, id: string, reason: string): Promise<unknown> =>
  post(server, runPath(id, '/cancel'), reason === '' ? {} : { reason })

/** Codes of runs are words of their protocol: `invalid_input`, `invalid_state`, `not_found`. */
async function post<T>(server: Server, path: string, body: object, key?: string): Promise<T> {
  const response = await server.request(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  if (response.ok) return (await response.json()) as T // the server's contract
  throw await failureOf(response)
}

/** The error of a response that is none of success. */
export async function failureOf(response: Response): Promise<ClientError> {
  const body: unknown = await response.json().catch(() => undefined)
  return new ClientError(
    fieldOf(body, 'code') ?? 'INTERNAL',
    fieldOf(body, 'message') ?? response.statusText,
    response.status,
  )
}

/** ms that a run took so far; `undefined` before it began. */
export function durationOf(
  { started_at: from, completed_at: to }: Pick<RunSummary, 'started_at' | 'completed_at'>,
  now: number,
): number | undefined {
  if (from === null) return undefined
  return Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
}
