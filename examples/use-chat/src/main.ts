import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken, use } from '@amodal/sdk'
import { join } from 'node:path'
import { bundle, PAGE, page } from './page-plugin.ts'

/** Serves the agent and its page: `node examples/use-chat/src/main.ts`. */
const started = await startFolder({
  dir: join(import.meta.dirname, '../agent'),
  preset: 'dev',
  env: process.env,
  entries: [use(page(await bundle()))],
})
if (!started.ok) throw new Error(explainStart(started.error))
const { scope } = started.value.kernel
const { host, port } = scope.get(HttpApp).address() ?? { host: '', port: 0 }
const token = scope.find(LocalToken)?.text() ?? ''
process.stdout.write(`Open http://${host}:${port}${PAGE}#${token}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void started.value.close(signal).then(() => process.exit()))
