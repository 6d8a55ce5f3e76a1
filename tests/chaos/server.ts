/**
 * The server under test, in a process of its own that can be killed: a real folder on a real
 * preset, with faults where the test arms them.
 *
 *     node tests/chaos/server.ts --dir FOLDER --preset dev|production --outside http://127.0.0.1:4020 --name a
 *
 * It loads everything, then waits for the order to start. The folder says which model and which
 * database.
 */

import { jump } from './clock.ts' // first, so that nobody has read another clock
import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { Database, use } from '@amodal/sdk'
import type { Kernel } from '@amodal/kernel'
import { chaosPlugin } from './chaos-plugin.ts'
import type { Order, Report } from './control.ts'
import { Faults } from './faults.ts'

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: '.' },
    preset: { type: 'string', default: 'dev' },
    outside: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
  },
})

const tell = (report: Report): void => void process.send?.(report)
const faults = new Faults((id) => tell({ told: 'reached', id }))
let kernel: Kernel | undefined

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case 'start':
      return start()
    case 'arm':
      return faults.arm(order.points)
    case 'release':
      return faults.release(order.id)
    case 'trace':
      return tell({ told: 'trace', n: order.n, passed: faults.trace(order.marker) })
    case 'lose':
      return faults.lose(order.when, order.times)
    case 'jump':
      return jump(order.wallMs, order.monotonicMs)
    case 'query': {
      const rows = await kernel?.scope.get(Database).run(order, AbortSignal.timeout(10_000))
      return tell(
        rows?.ok
          ? { told: 'rows', n: order.n, rows: rows.value }
          : {
              told: 'no rows',
              n: order.n,
              message: rows?.error.message ?? 'the server has not started',
            },
      )
    }
    default:
      return order satisfies never
  }
}

async function start(): Promise<void> {
  const { dir, preset, outside, name } = values
  const started = await startFolder({
    dir,
    preset,
    env: process.env,
    port: 0,
    entries: [use(chaosPlugin({ faults, outside, server: name }))],
  })
  if (!started.ok) {
    tell({ told: 'failed', message: explainStart(started.error) })
    process.disconnect() // and with it the process
    return
  }
  const { kernel: running } = started.value
  kernel = running
  const address = running.scope.get(HttpApp).address()
  tell({ told: 'ready', url: `http://127.0.0.1:${address?.port ?? 0}` })
}

process.on('message', (order: Order) => void obey(order))
process.once('SIGTERM', () => {
  void (kernel?.close() ?? Promise.resolve()).finally(() => process.exit())
})
process.once('disconnect', () => process.exit(1)) // whoever tests it is gone
flushCompileCache() // whoever is killed writes nothing at its end
tell({ told: 'loaded' })
