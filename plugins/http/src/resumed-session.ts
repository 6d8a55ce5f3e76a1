import {
  err,
  failure,
  isId,
  ok,
  sessionId,
  type Agent,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'

/** A session that is resumed. */
export interface ResumedSession {
  readonly id: string
  readonly title: string
}

/** The session of that id, or with `latest` the one that was used last on this machine. */
export async function resumedSession(
  agent: Agent,
  wanted: string,
  signal: AbortSignal,
): Promise<Result<ResumedSession, Failure>> {
  const client = agent.as(LOCAL_CALLER)
  if (wanted === 'latest') {
    const listed = await client.sessions({ limit: 1 }, signal)
    if (!listed.ok) return listed
    const [row] = listed.value.rows
    return row ? ok({ id: row.session, title: row.title }) : missing('there is no session yet')
  }
  if (!isId(wanted)) return missing(`"${wanted}" is not a session id`)
  const found = await client.session(sessionId(wanted), signal)
  return found.ok ? ok({ id: found.value.row.session, title: found.value.row.title }) : found
}

const missing = (message: string): Result<never, Failure> =>
  err(failure('SESSION_NOT_FOUND', message))
