import { silentLogger, type CommandContext } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { Usage } from '../src/tokens.ts'
import { boot, type Door, type Json } from './support.ts'

const script = reply.text('It is 42.', {
  usage: { promptTokens: 1_000, completionTokens: 100, cachedTokens: 200 },
})

/** Runs `amodal ops usage` as the command line would, in the kernel of the agent. */
async function run(door: Door, options: CommandContext['options'] = {}) {
  const lines: string[] = []
  const errors: string[] = []
  const code = await door.command?.run({
    options: { scope: 'acme', ...options },
    arguments: [],
    dir: '/',
    env: {},
    log: silentLogger,
    start: () => Promise.resolve(door.kernel),
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    fail: (line) => void errors.push(line),
    input: (async function* () {
      yield* []
    })(),
  })
  return { code, text: lines.join('\n'), errors }
}

test('the command prints sums as a table and as JSON, of each tenant too', async () => {
  const door = await boot({ script })
  expect((await run(door)).text).toMatch(/ \(UTC\)\nNo run has ended in this time\.$/)
  await door.say('One')
  await door.say('Two', { tenant: 'other' })
  await door.scope.get(Usage).sweep()
  const table = await run(door)
  expect(table).toMatchObject({ code: 0, errors: [] })
  expect(table.text).toMatch(
    /\nModel +Runs +Errors +Calls +Failed +Input +Cached +Output +Cost +p50 +p95\n/,
  )
  expect(table.text).toMatch(
    /\nopenai-compatible\/cheap +1 +0 +1 +0 +1,000 +200 +100 +\$0\.0018 .*\nAll +1 /,
  )
  const json = JSON.parse((await run(door, { json: true, group: 'agent' })).text) as Json
  expect(json).toMatchObject({ group: 'agent', groups: [{ key: 'main', runs: 1 }] })
  const tenants = JSON.parse((await run(door, { json: true, group: 'tenant' })).text) as Json
  expect(tenants).toMatchObject({
    total: { runs: 2 },
    groups: [
      { key: 'acme', runs: 1 },
      { key: 'other', runs: 1 },
    ],
  })
  expect(await run(door, { by: 'week' })).toMatchObject({
    code: 1,
    errors: [expect.stringMatching(/^VALIDATION_ERROR: by: /)],
  })
})
