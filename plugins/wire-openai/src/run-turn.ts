import type { AgentClient, SequencedEntry, SessionId } from '@amodal/sdk'
import { readTurn as readStreamed, turnStream, type TurnWriter } from '@amodal/sdk/wire'
import type { BegunTurn } from './turns.ts'

/** The entries of a turn that waits, as the writer of its stream wants them. */
export interface ParkedTurn {
  entries: readonly SequencedEntry[]
}

/** Reads a session once for the questions of a turn and for its entries. */
export const watched = (
  { client, from }: Pick<BegunTurn, 'client' | 'from'>,
  parked: ParkedTurn,
): Pick<AgentClient, 'session'> => ({
  async session(session: SessionId, signal?: AbortSignal) {
    const view = await client.session(session, signal, from)
    if (view.ok) parked.entries = view.value.entries
    return view
  },
})

/** The turn as an event stream. */
export const streamTurn = (
  turn: BegunTurn,
  writer: TurnWriter,
  parked: ParkedTurn,
  headers: Readonly<Record<string, string>>,
): Response => turnStream({ ...turn, client: watched(turn, parked) }, writer, { headers })

/** Reads the turn to its end, or to where it waits. A caller that leaves ends the reading. */
export const readTurn = (
  turn: BegunTurn,
  writer: TurnWriter,
  parked: ParkedTurn,
  signal: AbortSignal,
): Promise<void> => readStreamed({ ...turn, client: watched(turn, parked) }, writer, signal)
