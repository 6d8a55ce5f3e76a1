/** MCP servers of the snapshots that sessions are held to. */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentText, reply, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { promote, push, say, snapshotOf } from '../support/snapshots.ts'

/** A server on stdio that notes its start, and says the version that it was written with. */
const serverOf = (version: string): string => `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
appendFileSync(process.argv[2], 'start ${version}\\n')
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'versions', version: '1' },
  },
  'tools/list': {
    tools: [
      {
        name: 'tell',
        description: 'Tells the version.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ],
  },
  'tools/call': { content: [{ type: 'text', text: 'SERVER-${version}' }] },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`

const filesOf = (version: string, log: string) => ({
  'connections/versions/spec.json': {
    protocol: 'mcp',
    transport: 'stdio',
    trust: true,
    command: process.execPath,
    args: ['connections/versions/server.mjs', log],
  },
  'connections/versions/access.json': {
    endpoints: { 'CALL tell': { returns: ['versions'], confirm: false } },
  },
  'connections/versions/server.mjs': serverOf(version),
})

const callIt: Script = ({ messages, tools }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text(/SERVER-\w+/.exec(contentText(last))?.[0] ?? '')
  const name = tools?.map(({ function: { name: own } }) => own).find((one) => one.includes('tell'))
  return name === undefined ? reply.text('no tool') : reply.toolCalls({ name, arguments: {} })
}

test('each snapshot in use has its own, which starts once however the sessions alternate', async () => {
  const place = await mkdtemp(join(tmpdir(), 'amodal-starts-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const log = join(place, 'starts')
  const door = await openDoor({ script: callIt })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const begun: { readonly session: string; readonly answer: string }[] = []
  for (const version of ['one', 'two']) {
    const { id, archive } = await snapshotOf(door.dir, filesOf(version, log))
    await push(door, archive)
    await promote(door, id)
    begun.push(await say(door))
  }
  expect(begun.map(({ answer }) => answer)).toEqual(['SERVER-one', 'SERVER-two'])
  for (let round = 0; round < 3; round++)
    for (const { session, answer } of begun) expect((await say(door, session)).answer).toBe(answer)
  expect((await readFile(log, 'utf8')).trim().split('\n')).toEqual(['start one', 'start two'])
})
