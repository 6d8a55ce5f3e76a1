import { err, failure, ok, type Failure, type JournalEntry, type Result } from '@amodal/sdk'
import { stage } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'

/**
 * Commits entries while a state is being handled: what a call has done so far, so that a retry
 * after a crash knows of it. The state of the run stays as it was committed. Several calls are
 * committed one after the other.
 *
 * @returns an error where they were not written: then nothing may happen outside that depends on
 *   them
 * @example
 * const note = turn.newEntry({ kind: 'note', code: 'step', text: 'ordered' })
 * const written = await commitWithin([note], turn)
 */
export function commitWithin(
  entries: readonly JournalEntry[],
  turn: LoopTurn,
): Promise<Result<void, Failure>> {
  const committed = turn.within.then(() => commit(entries, turn))
  turn.within = committed.catch(() => undefined)
  return committed
}

async function commit(
  entries: readonly JournalEntry[],
  turn: LoopTurn,
): Promise<Result<void, Failure>> {
  const { writer, lease, history } = turn.parts
  if (turn.stopped !== undefined) return err(failure('COMMIT_IN_DOUBT', 'the turn was stopped'))
  const staged = stage(entries, turn)
  if (!staged.ok) return err(staged.error.toFailure())
  const committed = await writer.commit(turn.storedState(turn.state), 'hold')
  if (committed.kind === 'ok') {
    turn.emitCommitted(committed.entries, writer.head)
    if (committed.stillOwned) return ok(undefined)
    lease.lose('another owner has this session')
    return err(failure('COMMIT_IN_DOUBT', 'this process no longer holds the session'))
  }
  history.stale = true
  if (committed.kind === 'refused') {
    writer.discard()
    return err(committed.failure)
  }
  lease.lose('another owner has this session')
  return err(
    committed.kind === 'doubt'
      ? committed.failure
      : failure('COMMIT_IN_DOUBT', 'this process no longer holds the session'),
  )
}
