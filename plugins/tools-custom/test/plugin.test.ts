import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { leavesNothing, pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { toolsCustom } from '../src/index.ts'
import { desk, handler } from './support.ts'

pluginContract(toolsCustom, {
  with: [use(secretsEnv, { env: {}, masterKey: 'memory' }), use(outbound)],
})

test('leaves no process behind, warm or at work', async () => {
  const pids: number[] = []
  await leavesNothing(async () => {
    await using it = await desk({
      ...handler('warm', 'export default () => ({ pid: process.pid })'),
      ...handler(
        'works',
        'export default (_, ctx) => { ctx.log(String(process.pid)); return new Promise(() => { setInterval(() => {}, 1000) }) }',
      ),
    })
    const { output } = await it.call('warm')
    pids.push((output as { readonly pid: number }).pid)
    const turn = it.call('works').catch(() => undefined)
    await expect.poll(() => it.model.count).toBe(3)
    await new Promise((resolve) => {
      setTimeout(resolve, 300)
    })
    void turn
  })
  expect(pids.filter(isAlive)).toEqual([])
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
