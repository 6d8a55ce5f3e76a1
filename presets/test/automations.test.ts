import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createAgent, type AutomationResult } from '../src/index.ts'
import { Automations } from '@amodal/plugin-automations/tokens'
import { definePlugin, LOCAL_TENANT, ok, principalId, use } from '@amodal/sdk'
import { amodal, folder } from './support.ts'

const DIGEST = {
  prompt: 'Sum up.',
  delivery: { targets: [{ type: 'callback', name: 'crm' }], template: 'So: {{result}}' },
}
const FILES = {
  'amodal.json': { name: 'night', version: '1.0.0' },
  'automations/digest.json': DIGEST,
  'automations/daily.json': { prompt: 'Look.', schedule: '0 7 * * *' },
}

test('results are handed to the program around an agent', async () => {
  const model = await startModelServer({ script: reply.text('All clean.') })
  await using files = await folder(FILES)
  const results: AutomationResult[] = []
  let service: Automations | undefined
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    requires: { automations: Automations },
    setup({ deps }) {
      service = deps.automations
    },
  })
  const agent = await createAgent({
    repoPath: files.dir,
    provider: 'openai-compatible',
    providerConfig: { baseUrl: model.url, model: 'scripted' },
    apiKey: 'none',
    plugins: [use(probe)],
    onAutomationResult: { crm: (result) => results.push(result) },
  })
  const request = new Request('http://localhost/automations/digest/run', { method: 'POST' })
  await service?.routes.fetch(request, {
    signal: new AbortController().signal,
    identity: undefined,
    caller: () => ok({ tenant: LOCAL_TENANT, principal: principalId('me') }),
  })
  await expect
    .poll(() => results)
    .toMatchObject([{ automation: 'digest', status: 'success', message: 'So: All clean.' }])
  await agent.shutdown()
  await model.close()
})

test('the command line lists, triggers and shows runs of an agent folder', async () => {
  const model = await startModelServer({ script: reply.text('All clean.') })
  onTestFinished(() => model.close())
  await using files = await folder(FILES)
  const env = { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted', LOG_LEVEL: 'none' }
  const ops = (...argv: readonly string[]) =>
    amodal(['ops', 'automations', ...argv, '--dir', files.dir], { env })
  const list = await ops('list')
  expect([list.code, list.err]).toEqual([0, ''])
  expect(list.out).toMatch(/daily +cron +0 7 \* \* \* +active +20\d\d-\d\d-\d\d 07:00 UTC/)
  const run = await ops('trigger', 'daily')
  expect([run.code, run.out]).toEqual([0, expect.stringContaining('All clean.')])
  expect((await ops('pause', 'daily')).out).toContain('Paused "daily"')
  expect((await ops('list')).out).toMatch(/daily +cron +0 7 \* \* \* +paused/)
  expect((await ops('history', 'daily')).out).toMatch(/auto_run_\w+ .* completed/)
  expect((await ops('preview', 'daily', '--limit', '2')).out.trim().split('\n')).toHaveLength(2)
  expect(await ops('trigger', 'none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('NOT_FOUND') as string,
  })
  expect((await ops('dance')).code).toBe(2)
})
