import {
  err,
  failure,
  isId,
  ok,
  sessionId,
  trySync,
  type Caller,
  type Failure,
  type Result,
  type Sealer,
  type SessionId,
} from '@amodal/sdk'
import { z } from 'zod'

const Sealed = z.strictObject({
  /** Who may go on: the same principal of the same tenant. */
  principal: z.string(),
  /** The tool that was called. */
  tool: z.string(),
  /** The message whose turn it is. */
  key: z.string(),
  /** Everything up to there was told. */
  seq: z.int(),
  /** Progress that was told. */
  told: z.int(),
  /** ms since the epoch. */
  until: z.int(),
})

/** Where a request stands that waits for a person. */
export interface RequestState extends Omit<z.output<typeof Sealed>, 'principal' | 'until'> {
  readonly session: SessionId
}

/** ms for which a client may come back with an answer. */
const GOOD_MS = 86_400_000
const INVALID = failure('VALIDATION_ERROR', 'requestState: is none that this server gave')

/** A state that only this server can read and make: encrypted under the key of its session. */
export function sealState(
  { session, ...state }: RequestState,
  { tenant, principal }: Caller,
  sealer: Sealer,
  now: number,
): Result<string, Failure> {
  const sealed = sealer.seal(
    { tenant, session },
    JSON.stringify({ ...state, principal, until: now + GOOD_MS }),
  )
  return sealed.ok ? ok(`${session}~${sealed.value}`) : sealed
}

/** @returns the same failure, whatever is wrong with it */
export function openState(
  text: string,
  { tenant, principal }: Caller,
  sealer: Sealer | undefined,
  now: number,
): Result<RequestState, Failure> {
  const at = text.indexOf('~')
  const session = text.slice(0, Math.max(at, 0))
  if (!sealer || !isId(session)) return err(INVALID)
  const opened = sealer.open({ tenant, session: sessionId(session) }, text.slice(at + 1))
  if (!opened.ok) return err(INVALID)
  const read = trySync(
    () => Sealed.parse(JSON.parse(opened.value)),
    () => INVALID,
  )
  if (!read.ok) return read
  const { principal: theirs, until, ...state } = read.value
  return theirs === principal && until >= now
    ? ok({ ...state, session: sessionId(session) })
    : err(INVALID)
}
