import { isId, sessionId, type SessionId } from '@amodal/sdk'

/** A task is the run of one message. */
export interface TaskPlace {
  readonly session: SessionId
  /** The key of the message. */
  readonly key: string
}

const TASK = /^task_([0-9A-Za-z]{16,40})_(.+)$/

/** Everything that is needed to find a task again stands in its id, so that no table has to. */
export const taskId = ({ session, key }: TaskPlace): string => `task_${key}_${session}`

export function readTaskId(id: string): TaskPlace | undefined {
  const [, key, session = ''] = TASK.exec(id) ?? []
  return key !== undefined && isId(session) ? { session: sessionId(session), key } : undefined
}
