import { isId, sessionId, type SessionId } from '@amodal/sdk'

/** A task is the run of one message. */
export interface TaskPlace {
  readonly session: SessionId
  /** The key of the message. */
  readonly key: string
}

const PLAIN_KEY = /^[0-9A-Za-z]{16,40}$/
const PLAIN = /^task_([0-9A-Za-z]{16,40})_(.+)$/
const ENCODED = /^task\.([\w-]+)\.(.+)$/

/**
 * Everything that is needed to find a task stands in its id, so that no table has to. Keys that
 * clients of other protocols choose are encoded, since they may have any character.
 */
export const taskId = ({ session, key }: TaskPlace): string =>
  PLAIN_KEY.test(key)
    ? `task_${key}_${session}`
    : `task.${Buffer.from(key).toString('base64url')}.${session}`

export function readTaskId(id: string): TaskPlace | undefined {
  const [, plain, session = ''] = PLAIN.exec(id) ?? []
  if (plain !== undefined)
    return isId(session) ? { session: sessionId(session), key: plain } : undefined
  const [, encoded = '', other = ''] = ENCODED.exec(id) ?? []
  return encoded !== '' && isId(other)
    ? { session: sessionId(other), key: Buffer.from(encoded, 'base64url').toString() }
    : undefined
}
