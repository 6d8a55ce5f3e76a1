import { Database, definePlugin, OutputRedactor } from '@amodal/sdk'
import { z } from 'zod'
import { createRoutes } from './app.ts'
import { Bus } from './bus.ts'
import { publicEvent } from './event.ts'
import { Relay } from './relay.ts'

/**
 * Streams changes on the server as they happen: sessions, stores, automations, the agent's files.
 */
export const events = definePlugin({
  name: 'events',
  version: '0.1.0',
  optional: { database: Database, redactor: OutputRedactor },
  config: z.strictObject({
    /** Events of one tenant that are buffered for subscribers that reconnect. */
    buffer: z.number().int().min(1).max(100_000).default(500),
    /** ms between two comment lines that keep proxies from closing a quiet stream. */
    heartbeatMs: z.number().int().min(10).default(15_000),
    /** ms after which a stream ends, so that its reader authenticates anew. */
    streamMs: z.number().int().min(100).default(900_000),
    /** Maximum of open streams. */
    subscribers: z.number().int().positive().default(5_000),
  }),
  setup({ config, deps, hooks, log, onBoot }) {
    const bus = new Bus(config, log)
    const { database, redactor } = deps
    let relay: Relay | undefined
    hooks.event.runtime.tap((event, audience) => {
      const clean = publicEvent(event, redactor)
      const at = Date.now()
      bus.publish(clean, audience, at)
      relay?.send(clean, audience, at)
    })
    hooks.http.routes.tap((table) =>
      table.mount('/api/events', createRoutes(bus), { scope: 'sessions' }),
    )
    onBoot(() => {
      // If this process uses the database exclusively, there are no other instances.
      if (database && !database.exclusive) {
        relay = new Relay(database, log, (event, audience, at) => bus.publish(event, audience, at))
        bus.onSubscribers((hasSubscribers) => relay?.announceSubscribers(hasSubscribers))
      }
      return () => {
        relay?.close()
        bus.close()
      }
    })
    hooks.kernel.drain.tap(() => bus.close())
  },
})

export default events
