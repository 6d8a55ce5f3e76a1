import { reply } from '@amodal/sdk/testing'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDoor } from '../support/door.ts'
import { told } from '../support/told-script.ts'

const MODERN = join(import.meta.dirname, '../../../plugins/connect-mcp/test/servers/modern.ts')

test('what a resource of an MCP server says does not choose what is written', async () => {
  await using door = await openDoor({
    script: told,
    files: {
      'connections/notes/spec.json': {
        protocol: 'mcp',
        command: process.execPath,
        args: [MODERN],
        trust: true,
      },
      'connections/notes/access.json': { endpoints: { 'CALL deploy': { confirm: false } } },
    },
  })
  await expect
    .poll(async () => (await door.get('/inspect/mcp/notes')).body['status'], { timeout: 60_000 })
    .toBe('ready')
  const silently = (name: string, args: Readonly<Record<string, string>>): void =>
    door.model.play((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? reply.text('Done.')
        : reply.toolCalls({ name, arguments: args }),
    )
  silently('notes__read_resource', { uri: 'note://first' })
  const read = await door.say('Read my first note.')
  expect(read.text).toContain('buy milk')
  const session_id = read.body['session_id'] as string
  silently('notes__deploy', { env: 'buy milk' })
  const asked = await door.say('Now do it.', { session_id })
  expect(asked.status).toBe(202)
  expect(asked.text).toContain('is from a result of notes__read_resource')
}, 120_000)
