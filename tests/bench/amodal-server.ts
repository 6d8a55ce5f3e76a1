/**
 * The server under test: an agent with a one-line prompt and the bench tool, on the database that is
 * asked for, with everything a real one does and nothing else.
 *
 *     node tests/bench/amodal-server.ts --port 4000 --model-url http://127.0.0.1:4010/v1 --database postgres://…
 *
 * --database        `postgres://…` (the production preset), `pglite:FOLDER` or `memory` (the dev preset)
 * --resident-chars  characters of history that all resident sessions may keep; the product's default where left out
 *
 * Prints `ready <port>` once the port listens. SIGTERM drains and ends it.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import sessionsMemory from '@amodal/plugin-sessions-memory'
import storesMemory from '@amodal/plugin-stores-memory'
import { explainStart, startFolder } from '@amodal/presets'
import { replace, use, without, type Entry } from '@amodal/sdk'

import { benchToolPlugin } from './bench-tool.ts'
import { announce, answerProbes } from './probe.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'model-url': { type: 'string', default: '' },
    database: { type: 'string', default: 'memory' },
    'resident-chars': { type: 'string' },
  },
})

interface Setup {
  readonly preset: string
  /** The `stores` block of the manifest. */
  readonly stores: object
  readonly entries: readonly Entry[]
}

const { preset, stores, entries } = setupOf(values.database)
const dir = await mkdtemp(join(tmpdir(), 'amodal-bench-agent-'))
const main = { provider: 'openai-compatible', model: 'bench', baseUrl: values['model-url'] }
await writeFile(join(dir, 'amodal.json'), JSON.stringify({ name: 'bench', userContext: 'You are a helpful assistant.', models: { main }, stores }))

const started = await startFolder({
  dir,
  preset,
  env: {},
  port: Number(values.port),
  entries: [use(benchToolPlugin), ...entries],
  ...(values['resident-chars'] === undefined ? {} : { settings: { residentChars: Number(values['resident-chars']) } }),
})
if (!started.ok) throw new Error(explainStart(started.error))

process.once('SIGTERM', () => {
  void started.value
    .close('SIGTERM')
    .then(() => rm(dir, { recursive: true, force: true }))
    .finally(() => process.exit())
})
answerProbes()
announce(Number(values.port))

function setupOf(database: string): Setup {
  if (/^postgres(ql)?:\/\//.test(database)) return { preset: 'production', stores: { backend: 'postgres', postgresUrl: database }, entries: [] }
  if (database.startsWith('pglite:')) return { preset: 'dev', stores: { dataDir: database.slice('pglite:'.length) }, entries: [] }
  if (database === 'memory') {
    return { preset: 'dev', stores: {}, entries: [replace('sessions', sessionsMemory), replace('stores-database', storesMemory), without('db-pglite')] }
  }
  throw new Error(`--database: expected postgres://…, pglite:FOLDER or memory, got ${database}`)
}
