import {
  err,
  isObject,
  ok,
  type AgentClient,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type Sealer,
  type SessionRow,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { newKey } from '@amodal/sdk/loop'
import { pushConfig, type PushConfig } from './message-request.ts'
import { taskId, type TaskPlace } from './task-id.ts'

type Outcome<T> = Promise<Result<T, Failure>>
type Sealed = Readonly<Record<string, string>>

const META = 'wire-a2a'
/** Configurations of one task. */
export const MOST_CONFIGS = 10

/**
 * Whom to tell of a task: kept with its session, sealed, since there are credentials among it. They
 * go with the session.
 */
export class PushConfigs {
  readonly #sealer: Sealer

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** All of a task, each with its id. */
  async of(
    client: AgentClient,
    caller: Pick<Caller, 'tenant'>,
    place: TaskPlace,
  ): Outcome<readonly PushConfig[]> {
    const kept = await this.#kept(client, place)
    if (!kept.ok) return kept
    const configs: PushConfig[] = []
    for (const sealed of Object.values(kept.value.configs)) {
      const opened = this.#sealer.open({ tenant: caller.tenant, session: place.session }, sealed)
      if (!opened.ok) return opened
      configs.push(pushConfig.parse(parseExact(opened.value))) // sealed below
    }
    return ok(configs)
  }

  /** Adds one, or replaces the one of the same id. */
  async put(
    client: AgentClient,
    caller: Pick<Caller, 'tenant'>,
    place: TaskPlace,
    config: PushConfig,
  ): Outcome<PushConfig> {
    const kept = await this.#kept(client, place)
    if (!kept.ok) return kept
    const made = { ...config, id: config.id || newKey(), taskId: taskId(place) }
    const at = { tenant: caller.tenant, session: place.session }
    const sealed = this.#sealer.seal(at, JSON.stringify(made))
    if (!sealed.ok) return sealed
    const configs = { ...kept.value.configs, [made.id]: sealed.value }
    const saved = await this.#save(client, place, kept.value.meta, configs)
    return saved.ok ? ok(made) : saved
  }

  /** @returns how many there are without it */
  async remove(client: AgentClient, place: TaskPlace, id: string): Outcome<void> {
    const kept = await this.#kept(client, place)
    if (!kept.ok) return kept
    const { [id]: _gone, ...configs } = kept.value.configs
    return this.#save(client, place, kept.value.meta, configs)
  }

  async count(client: AgentClient, place: TaskPlace): Outcome<number> {
    const kept = await this.#kept(client, place)
    return kept.ok ? ok(Object.keys(kept.value.configs).length) : kept
  }

  async #kept(
    client: AgentClient,
    { session, key }: TaskPlace,
  ): Outcome<{ readonly meta: JsonObject; readonly configs: Sealed }> {
    const view = await client.session(session, undefined, Number.MAX_SAFE_INTEGER)
    if (!view.ok) return err(view.error)
    const meta = metaOf(view.value.row)
    return ok({ meta, configs: configsIn(meta, key) })
  }

  async #save(
    client: AgentClient,
    { session, key }: TaskPlace,
    meta: JsonObject,
    configs: Sealed,
  ): Outcome<void> {
    const tasks = isObject(meta[META]) ? meta[META] : {}
    const { [key]: _before, ...others } = tasks
    const now = Object.keys(configs).length > 0 ? { ...others, [key]: configs } : others
    const saved = await client.update(session, { meta: { ...meta, [META]: now } })
    return saved.ok ? ok(undefined) : saved
  }
}

// written by the kernel
const metaOf = ({ meta }: SessionRow): JsonObject => parseExact(meta) as JsonObject

function configsIn(meta: JsonObject, key: string): Sealed {
  const tasks = meta[META]
  const kept = isObject(tasks) ? tasks[key] : undefined
  return isObject(kept)
    ? Object.fromEntries(
        Object.entries(kept).flatMap(([id, sealed]) =>
          typeof sealed === 'string' ? [[id, sealed] as const] : [],
        ),
      )
    : {}
}
