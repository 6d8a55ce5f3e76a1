import type { HttpTransport, Signal } from './http-transport.ts'
import { randomKey } from './random-key.ts'
import { followStream, type ResumeOptions } from './turn-stream.ts'
import type { ClientEvent, PendingInput } from './types.ts'

export interface TaskInput extends Signal {
  readonly prompt: string
  /** Texts by name that the model is given with it. */
  readonly context?: Readonly<Record<string, string>>
  /** May lower the agent's own limit. */
  readonly maxTurns?: number
  /** The same key again is the same task; made here where it is absent. */
  readonly key?: string
}

export interface TaskStatus {
  /** Also the id of its session. */
  readonly task_id: string
  readonly status: 'running' | 'completed' | 'error'
  /** Entries of its journal. */
  readonly event_count: number
  /** ISO 8601. */
  readonly created_at: string
  /** What it waits for. */
  readonly pending_input?: readonly PendingInput[]
}

/**
 * Work in the background. A task is a session: its id is one.
 *
 * @example
 * const id = await client.tasks.start({ prompt: 'Sum up the open incidents' })
 * for await (const event of client.tasks.follow(id)) show(event)
 */
export interface Tasks {
  /** @returns the id of the task, once it is stored */
  start(task: TaskInput): Promise<string>
  status(id: string, options?: Signal): Promise<TaskStatus>
  /** Its events from the first one on, over cut connections too. */
  follow(id: string, options?: Signal): AsyncIterable<ClientEvent>
}

/** The methods of {@link Tasks} over HTTP. */
export const tasksOver = (transport: HttpTransport, options: ResumeOptions): Tasks => ({
  async start({ prompt, context, maxTurns, key = randomKey(), signal }) {
    const { task_id: id } = await transport.json<{ readonly task_id: string }>('/task', {
      method: 'POST',
      body: { prompt, context, max_turns: maxTurns },
      headers: { 'idempotency-key': key },
      signal,
    })
    return id
  },
  status: (id, { signal } = {}) => transport.json(`/task/${encodeURIComponent(id)}`, { signal }),
  follow: (id, { signal } = {}) =>
    followStream(transport, { session: id, last: BEGINNING }, signal, options),
})

/** The place before the first event of a session. */
const BEGINNING = '0.0.0.0'
