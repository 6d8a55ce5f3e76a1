import { err, ok, type Caller, type JsonObject, type Result } from '@amodal/sdk'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { a2aError, type OperationError } from './a2a-error.ts'
import { pushConfig, type PushConfig } from './message-request.ts'
import { MOST_CONFIGS, type PushConfigs } from './push-configs.ts'
import { listTasks } from './task-list.ts'
import { NO_PUSH, Tasks, type TaskParts } from './tasks.ts'
import type { Wrap } from './task-writer.ts'

type Outcome<T> = Promise<Result<T, OperationError>>

const named = z.object({
  id: z.string().max(300),
  historyLength: z.coerce.number().int().min(0).optional(),
})
const configOf = z.object({ taskId: z.string().max(300), id: z.string().max(100) })
const configsOf = z.object({ taskId: z.string().max(300) })

interface Call {
  readonly caller: Caller
  /** `params` of JSON-RPC; path, query and body of the HTTP binding. */
  readonly params: unknown
  readonly signal: AbortSignal
  readonly wrap: Wrap
}

/** What an operation gives: a value, or a stream. */
export type Given = JsonObject | Response | undefined

/** Every operation of the protocol by its name, the same for both bindings. */
export class Operations {
  readonly #parts: TaskParts
  readonly #tasks: Tasks

  constructor(parts: TaskParts) {
    this.#parts = parts
    this.#tasks = new Tasks(parts)
  }

  async run(name: string, { caller, params, signal, wrap }: Call): Outcome<Given> {
    switch (name) {
      case 'SendMessage':
        return this.#tasks.send(caller, params, signal)
      case 'SendStreamingMessage':
        return this.#tasks.stream(caller, params, wrap)
      case 'GetTask':
        return checked(named, params, ({ id, historyLength }) =>
          this.#tasks.get(caller, id, historyLength),
        )
      case 'ListTasks':
        return listTasks(this.#parts.agent, caller, params)
      case 'CancelTask':
        return checked(named, params, ({ id }) => this.#tasks.cancel(caller, id))
      case 'SubscribeToTask':
        return checked(named, params, ({ id }) => this.#tasks.subscribe(caller, id, wrap))
      case 'CreateTaskPushNotificationConfig':
      case 'GetTaskPushNotificationConfig':
      case 'ListTaskPushNotificationConfigs':
      case 'DeleteTaskPushNotificationConfig':
        return this.#parts.configs
          ? this.#push(name, caller, params, this.#parts.configs)
          : err(NO_PUSH)
      default:
        return err(a2aError('METHOD_NOT_FOUND', `there is no method "${name}"`))
    }
  }

  async #push(
    name: string,
    caller: Caller,
    params: unknown,
    configs: PushConfigs,
  ): Outcome<JsonObject | undefined> {
    switch (name) {
      case 'CreateTaskPushNotificationConfig':
        return checked(pushConfig, params, async (config) => {
          const found = await this.#tasks.place(caller, config.taskId)
          if (!found.ok) return found
          const { client, place } = found.value
          const count = await configs.count(client, place)
          if (!count.ok) return count
          if (count.value >= MOST_CONFIGS)
            return err(a2aError('INVALID_PARAMS', `a task has at most ${MOST_CONFIGS} receivers`))
          const kept = await configs.put(client, caller, place, config)
          return kept.ok ? ok(shownConfig(kept.value)) : kept
        })
      case 'GetTaskPushNotificationConfig':
        return checked(configOf, params, async ({ taskId, id }) => {
          const all = await this.#configs(caller, taskId, configs)
          if (!all.ok) return all
          const one = all.value.find((config) => config['id'] === id)
          return one ? ok(one) : err(a2aError('TASK_NOT_FOUND', 'there is no such configuration'))
        })
      case 'ListTaskPushNotificationConfigs':
        return checked(configsOf, params, async ({ taskId }) => {
          const all = await this.#configs(caller, taskId, configs)
          return all.ok ? ok({ configs: all.value, nextPageToken: '' }) : all
        })
      default:
        return checked(configOf, params, async ({ taskId, id }) => {
          const found = await this.#tasks.place(caller, taskId)
          if (!found.ok) return found
          const removed = await configs.remove(found.value.client, found.value.place, id)
          return removed.ok ? ok(undefined) : removed
        })
    }
  }

  /** Whom to tell of a task. */
  async #configs(
    caller: Caller,
    taskId: string,
    configs: PushConfigs,
  ): Outcome<readonly JsonObject[]> {
    const found = await this.#tasks.place(caller, taskId)
    if (!found.ok) return found
    const all = await configs.of(found.value.client, caller, found.value.place)
    return all.ok ? ok(all.value.map(shownConfig)) : all
  }
}

/** Nobody is shown credentials again. */
const shownConfig = ({ id, taskId, url, authentication }: PushConfig): JsonObject => ({
  id,
  taskId,
  url,
  ...(authentication && { authentication: { scheme: authentication.scheme } }),
})

async function checked<S extends z.ZodType, T>(
  schema: S,
  params: unknown,
  work: (params: z.output<S>) => Outcome<T>,
): Outcome<T> {
  const read = schema.safeParse(params ?? {})
  return read.success ? work(read.data) : err(a2aError('INVALID_PARAMS', problems(read.error)))
}
