/**
 * Does beforehand what every start, or every first one, would have to do, so that it need not:
 * compiles the packages and what a server loads, by running one on a copy of an agent through a
 * turn, and makes the database image that holds the tables already. The install does this; a start
 * does as well without it, only later.
 *
 *     node cli/scripts/prepare.ts examples/ops-agent
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { explain, Kernel, Migrations, silentLogger } from '@amodal/sdk'
import { prepareImage } from '@amodal/plugin-db-pglite'
import { explainStart, readFolder } from '@amodal/presets'

/** ms */
const DEADLINE = 300_000

const signal = AbortSignal.timeout(DEADLINE)
const agent = process.argv[2]
if (agent === undefined) throw new Error('Usage: node cli/scripts/prepare.ts AGENT')

const folder = await mkdtemp(join(tmpdir(), 'amodal-prepare-'))
try {
  await cp(agent, folder, {
    recursive: true,
    filter: (path) => basename(path) !== '.amodal' && basename(path) !== '.env',
  })
  await serve(folder)
  process.stdout.write(`An image of ${Math.round((await image(folder)) / 1_000)} KB.\n`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/**
 * One turn of a real server. It gets no variable with a key in it, so the demo model answers, and
 * no network is needed.
 */
async function serve(folder: string): Promise<void> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const server = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../dist/bin.js', import.meta.url)),
      'dev',
      '--dir',
      folder,
      '--port',
      '0',
    ],
    {
      env: {
        PATH,
        LOG_LEVEL: 'warn',
        ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    },
  )
  const ended = once(server, 'exit')
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /^ *Chat +→ (http:\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Which incidents are open?' }),
      signal,
    })
    if (!answer.ok) throw new Error(`the server answered ${answer.status}: ${await answer.text()}`)
    await answer.text()
    server.kill('SIGINT')
  }
  await ended
}

/** Bytes of an image with the tables of every plugin that this folder runs. */
async function image(dir: string): Promise<number> {
  const read = await readFolder({ dir, env: { LOG_LEVEL: 'none' } })
  if (!read.ok) throw new Error(explainStart(read.error))
  const kernel = await Kernel.create(read.value.entries, { ...read.value.options, boots: [] })
  if (!kernel.ok) throw new Error(explain(kernel.error), { cause: kernel.error })
  const prepared = await prepareImage(
    kernel.value.current().registry(Migrations),
    silentLogger,
    signal,
  )
  await kernel.value.close()
  if (!prepared.ok) throw new Error(prepared.error.message, { cause: prepared.error })
  return prepared.value
}
