import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatCommand } from '../src/chat-command.ts'
import { obedient, world } from './world.ts'

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')

test('the example of the README runs', async () => {
  const [, message = ''] = /```bash .*\namodal chat "(.*)" --json\n```/.exec(readme) ?? []
  await using agent = await world(obedient)
  const { code, out } = await agent.run([], { message, options: { json: true } })
  expect(code).toBe(0)
  expect(out).toContain(`{"kind":"text","text":"You: ${message}"}`)
})

test('the README has every option', () => {
  for (const option of Object.keys(chatCommand.options)) expect(readme).toContain(`\`--${option}`)
})
