/**
 * A process that works on runs and serves no HTTP. Its arguments are the URLs of the database, of
 * the model and of the target that its tool writes to. It says `ready` once it works.
 */
import dbPostgres from '@amodal/plugin-db-postgres'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import queueDatabase from '@amodal/plugin-queue-database'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import subagents from '@amodal/plugin-subagents'
import {
  BundleSource,
  defineBundle,
  definePlugin,
  defineTool,
  ok,
  startAgent,
  Tools,
  use,
} from '@amodal/sdk'
import { z } from 'zod'
import { agentRuns } from '../../src/index.ts'

const [database = '', model = '', target = ''] = process.argv.slice(2)

/** Writes to the target, which drops what it has under a key already. */
const write = defineTool({
  name: 'write_line',
  description: 'Writes a line.',
  readOnly: false,
  keyed: true,
  input: z.object({ line: z.string() }),
  execute: async ({ line }, ctx) => {
    const answer = await ctx.outbound.request({
      url: target,
      method: 'POST',
      body: line,
      privateOrigin: target,
    })
    return answer.ok
      ? { status: 'success', output: 'written' }
      : { status: 'error', message: answer.error.message }
  },
})

const source = definePlugin({
  name: 'source',
  version: '1.0.0',
  provides: [BundleSource],
  setup({ provide, add }) {
    const bundle = defineBundle({
      name: 'worker',
      version: '1.0.0',
      models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: model } },
    })
    provide(BundleSource, () => ({ where: 'test', load: () => Promise.resolve(ok(bundle)) }))
    add(Tools, 'test', { tools: () => [write] })
  },
})

const started = await startAgent([
  use(secretsEnv, { env: {} }),
  use(outbound),
  use(loop, { leaseMs: 2_000, marginMs: 200, sweepMs: 200, suspectMs: 100, trialMs: 200 }),
  use(prompt),
  use(modelOpenaiCompatible),
  use(subagents),
  use(dbPostgres, { url: database, max: 5 }),
  use(queueDatabase, { leaseMs: 2_000 }),
  use(sessions),
  use(agentRuns, { concurrency: 20, profiles: [{ id: 'narrow', concurrency: 2 }] }),
  use(source),
])
if (!started.ok) throw new Error(JSON.stringify(started.error))
process.stdout.write('ready\n')
setInterval(() => undefined, 60_000)
