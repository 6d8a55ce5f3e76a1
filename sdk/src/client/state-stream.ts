import type { Json, JsonObject } from '@amodal/kernel'
import type { StatePatch } from '../agent-event.ts'
import { overCuts, readEvents } from './event-reader.ts'
import type { HttpTransport } from './http-transport.ts'
import { patched } from './json-patch.ts'
import type { ResumeOptions } from './turn-stream.ts'

/** The live state of a session, as the caller may see it. */
export interface LiveState {
  /** For `If-Match`, and to go on from. */
  readonly version: string
  readonly state: JsonObject
}

type StateEvent =
  | { readonly type: 'state_snapshot'; readonly version: string; readonly state: JsonObject }
  | {
      readonly type: 'state_delta'
      readonly base: string
      readonly version: string
      readonly patch: readonly StatePatch[]
    }

/**
 * Follows the live state of a session: yields the current state first, then the new one after each
 * change, across broken connections. A gap is closed by a snapshot. Ends when the reader stops.
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
  if (event.type === 'state_snapshot') return { version: event.version, state: event.state }
  if (mirror?.version !== event.base) return undefined
  const state: Json = patched(mirror.state, event.patch)
  // a patch leaves an object an object
  return { version: event.version, state: state as JsonObject }
}
