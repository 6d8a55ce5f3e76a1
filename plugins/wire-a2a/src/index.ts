import {
  Agent,
  Authenticator,
  Clock,
  definePlugin,
  JobQueue,
  Outbound,
  RequestLimiter,
  Sealer,
  Secrets,
  systemClock,
  unwrap,
} from '@amodal/sdk'
import { z } from 'zod'
import { A2A_PATH } from './agent-card.ts'
import { CARD_PATH, cardRoute, createRoutes } from './app.ts'
import { Operations } from './operations.ts'
import { PushConfigs } from './push-configs.ts'
import { DELIVERIES, PUSH_QUEUE, PushNotifications } from './push-notifications.ts'

/** ms that running deliveries get when the process stops. */
const STOP_MS = 5_000

const config = z.strictObject({
  /** Characters of one message. */
  maxMessageChars: z.number().int().positive().default(100_000),
  /** Bytes of a whole request. */
  maxBodyBytes: z.number().int().positive().default(10_000_000),
  push: z
    .strictObject({
      /** Signs push notifications as Standard Webhooks do; `env:NAME`. */
      secret: z.string().optional(),
      /** Origins of receivers that may resolve to a private address. */
      privateOrigins: z.array(z.url()).default([]),
    })
    .prefault({}),
})

/**
 * Speaks A2A for the same sessions as the own protocol: the agent card, tasks, streams and push
 * notifications, over JSON-RPC and HTTP+JSON.
 *
 * @example
 * use(wireA2a, { push: { secret: 'env:A2A_PUSH_SECRET' } })
 *
 * @see https://a2a-protocol.org
 */
export const wireA2a = definePlugin({
  name: 'wire-a2a',
  version: '0.1.0',
  // the queue has one worker of a queue in a process
  reload: 'exclusive',
  requires: { agent: Agent },
  optional: {
    authenticator: Authenticator,
    clock: Clock,
    limiter: RequestLimiter,
    outbound: Outbound,
    queue: JobQueue,
    sealer: Sealer,
    secrets: Secrets,
  },
  config,
  setup({ config: { push, ...limits }, deps, hooks, onBoot }) {
    const { agent, authenticator, clock = systemClock, limiter, outbound, queue } = deps
    const configs = deps.sealer && queue && outbound ? new PushConfigs(deps.sealer) : undefined
    const operations = new Operations({ agent, clock, limiter, limits, configs })
    const parts = {
      operations,
      bundle: () => agent.bundle(),
      secured: () => authenticator?.configured() ?? false,
      pushes: configs !== undefined,
    }
    hooks.http.routes.tap((table) => {
      table.mount(CARD_PATH, cardRoute(parts), { exact: true, open: true })
      table.mount(A2A_PATH, createRoutes(parts), { maxBody: limits.maxBodyBytes, scope: 'chat' })
    })
    if (!configs || !queue || !outbound) return
    const { secrets } = deps
    const notifications = new PushNotifications({
      agent,
      clock,
      configs,
      queue,
      outbound,
      secrets,
      secret: push.secret,
      privateOrigins: push.privateOrigins,
    })
    hooks.run.end.tap((_outcome, run) => notifications.publish(run, 'end'))
    hooks.state.changed.tap((_from, to, run) => {
      if (to === 'confirming') void notifications.publish(run, 'input')
    })
    onBoot(() => {
      const worker = unwrap(
        queue.work({
          queue: PUSH_QUEUE,
          concurrency: DELIVERIES,
          handler: (job, signal) => notifications.work(job, signal),
        }),
        ({ message }) => message,
      )
      return () => worker.stop(STOP_MS)
    })
  },
})

export default wireA2a
