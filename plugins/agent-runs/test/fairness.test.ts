import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { serving } from './support/serving.ts'

const WAIT = { timeout: 30_000, interval: 25 }

/** Runs that wait until they are let go; they tell their task. */
function held() {
  const working: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const tool = defineTool({
    name: 'hold',
    description: 'Waits.',
    readOnly: true,
    input: z.object({ task: z.string() }),
    execute: async ({ task }) => {
      working.push(task)
      await released
      return { status: 'success', output: 'done' }
    },
  })
  const script = ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
    messages.some(({ role }) => role === 'tool')
      ? reply.text('Done.')
      : reply.toolCalls({
          name: 'hold',
          arguments: { task: /task-\w+/.exec(JSON.stringify(messages))?.[0] ?? 'none' },
        })
  return { working, release: () => release(undefined), tool, script }
}

test('a tenant has so many runs at the same time, and others go on', async () => {
  const { working, release, tool, script } = held()
  const server = await serving({ script, tools: [tool], config: { perTenant: 2 } })
  const runs = [
    await server.run('task-a1'),
    await server.run('task-a2'),
    await server.run('task-a3'),
  ]
  const theirs = await server.post(
    '/agents/run',
    { profile_id: 'agent', task: 'task-b1' },
    {},
    'bolt',
  )
  expect(theirs.status).toBe(202)
  await vi.waitFor(() => expect(working).toHaveLength(3), WAIT)
  expect([...working].sort()).toEqual(['task-a1', 'task-a2', 'task-b1'])
  release()
  for (const run of runs) await server.until(run, 'complete')
})

test('a profile has so many runs at the same time, and others go on', async () => {
  const { working, release, tool, script } = held()
  const profiles = [{ id: 'narrow', concurrency: 1 }, { id: 'wide' }]
  const server = await serving({ script, tools: [tool], config: { profiles } })
  const narrow = { profile_id: 'narrow' }
  const runs = [await server.run('task-n1', narrow), await server.run('task-n2', narrow)]
  for (const task of ['task-w1', 'task-w2']) await server.run(task, { profile_id: 'wide' })
  await vi.waitFor(() => expect(working).toHaveLength(3), WAIT)
  expect([...working].sort()).toEqual(['task-n1', 'task-w1', 'task-w2'])
  release()
  for (const run of runs) await server.until(run, 'complete')
})
