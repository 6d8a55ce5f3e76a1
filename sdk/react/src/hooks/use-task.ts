import { useCallback, useState } from 'react'
import type { AnswerInput, Ask, Item, TaskInput, TaskStatus } from '@amodal/sdk/client'
import { isAbout } from '../connection/connection.ts'
import { useConnection } from '../provider.tsx'
import { useOpenedChat } from './use-chat.ts'
import { useReading } from './use-reading.ts'

/** Work in the background. */
export interface Task {
  /** Also the id of its session. */
  readonly id: string | undefined
  /** `undefined` until one is started or read. */
  readonly status: TaskStatus['status'] | undefined
  /** The last words of the agent. */
  readonly text: string
  readonly items: readonly Item[]
  /** What it waits for. */
  readonly pending: readonly Ask[]
  readonly error: Error | undefined
  /** @returns its id, once it is stored. Rejects with a `ClientError`. */
  readonly start: (task: string | TaskInput) => Promise<string>
  readonly cancel: () => void
  readonly answer: (answer: AnswerInput) => Promise<void>
}

/**
 * Starts a task, or follows one: it runs on the server, whoever looks at it.
 *
 * @param known id of a task that was started before
 * @example
 * const { start, status, text } = useTask()
 * const onClick = () => start('Sum up the open incidents')
 */
export function useTask(known?: string): Task {
  const { client } = useConnection()
  const [started, setStarted] = useState<string>()
  const id = started ?? known
  const chat = useOpenedChat({ session: id }, id !== undefined)
  const { data, error } = useReading<TaskStatus>(
    id === undefined ? undefined : `task ${id}`,
    (connection) => ({
      async read(emit, signal) {
        emit(await connection.client.tasks.status(id ?? '', { signal }))
      },
      watch: (refresh) => connection.watch((change) => isAbout(change, id), refresh),
    }),
  )
  const start = useCallback(
    async (task: string | TaskInput) => {
      const begun = await client.tasks.start(typeof task === 'string' ? { prompt: task } : task)
      setStarted(begun)
      return begun
    },
    [client],
  )
  const last = chat.messages.findLast(({ role }) => role === 'assistant')
  const text = last?.parts.findLast((part) => part.kind === 'text')?.text ?? ''
  return {
    id,
    status: id === undefined ? undefined : data?.status,
    text,
    items: chat.items,
    pending: chat.pending,
    error: error ?? chat.error,
    start,
    cancel: chat.stop,
    answer: chat.answer,
  }
}
