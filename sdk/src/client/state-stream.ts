import type { Json, JsonObject } from '@amodal/kernel'
import type { StatePatch } from '../agent-event.ts'
import { overCuts, readEvents } from './event-reader.ts'
import type { HttpTransport } from './http-transport.ts'
import { patched } from './json-patch.ts'
import type { ResumeOptions } from './turn-stream.ts'

/** What a session is doing. */
export interface SessionStatus {
  /** A run is in progress, and does not wait for a person. */
  readonly is_processing: boolean
  /** A run waits for a person. */
  readonly waiting: boolean
  /** Rounds of tools of the run in progress, from 1; 0 where there is none. */
  readonly tool_round: number
  /** Of all runs of the session. */
  readonly token_usage: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly total_tokens: number
  }
  /** Messages of the conversation. */
  readonly history_size: number
}

/** The live state of a session, as the caller may see it. */
export interface LiveState {
  /** For `If-Match`, and to go on from. */
  readonly version: string
  readonly state: JsonObject
  /** What the session is doing; it has no part in the version. */
  readonly status?: SessionStatus
}

type StateEvent =
  | { readonly type: 'state_snapshot'; readonly version: string; readonly state: JsonObject }
  | {
      readonly type: 'state_delta'
      readonly base: string
      readonly version: string
      readonly patch: readonly StatePatch[]
    }
  | ({ readonly type: 'state_status' } & SessionStatus)

/**
 * Follows the live state of a session: yields the current state first, then the new one after each
 * change of it or of what the session is doing, across broken connections. A gap is closed by a
 * snapshot. Ends when the reader stops.
 */
export function stateStream(
  transport: HttpTransport,
  path: string,
  signal: AbortSignal | undefined,
  { tries }: ResumeOptions,
): AsyncGenerator<LiveState, void, undefined> {
  let mirror: LiveState | undefined
  return overCuts(attempt, { signal, tries, why: 'the stream of the state has ended' })

  async function* attempt(): AsyncGenerator<LiveState, boolean, undefined> {
    const response = await transport.open(path, {
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(mirror && { 'last-event-id': mirror.version }),
      },
    })
    for await (const { data } of readEvents(response, signal)) {
      mirror = after(mirror, JSON.parse(data) as StateEvent) // the server's contract
      if (!mirror) return false
      yield mirror
    }
    return false
  }
}

/** The mirror after an event; `undefined` where it does not follow on what is there. */
function after(mirror: LiveState | undefined, event: StateEvent): LiveState | undefined {
  const status = mirror?.status && { status: mirror.status }
  if (event.type === 'state_snapshot')
    return { version: event.version, state: event.state, ...status }
  if (event.type === 'state_status') {
    const { type: _, ...changed } = event
    return mirror && { ...mirror, status: changed }
  }
  if (mirror?.version !== event.base) return undefined
  const state: Json = patched(mirror.state, event.patch)
  // a patch leaves an object an object
  return { version: event.version, state: state as JsonObject, ...status }
}
