import { defineBundle, type AgentBundle, type Secrets } from '@amodal/sdk'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { explain, Kernel, Secrets as SecretsSlot, unwrap, use } from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { automationsOf } from '../src/definition.ts'
import { readAutomations } from '../src/read-automations.ts'

async function secretsOf(env: Readonly<Record<string, string>>): Promise<Secrets> {
  const kernel = unwrap(await Kernel.create([use(secretsEnv, { env })]), explain)
  onTestFinished(async () => {
    await kernel.close()
  })
  return kernel.scope.get(SecretsSlot)
}

async function read(
  files: Readonly<Record<string, string | object>>,
  env: Readonly<Record<string, string>> = {},
): Promise<AgentBundle> {
  const bundle: AgentBundle = {
    ...defineBundle({ name: 'test' }),
    files: Object.entries(files).map(([path, content]) => ({
      path,
      text: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    })),
  }
  return readAutomations(bundle, await secretsOf(env)) ?? bundle
}
const told = ({ issues }: AgentBundle): readonly string[] =>
  issues.map(
    ({ severity, file = '', line = 0, message }) => `${severity} ${file}:${line} ${message}`,
  )

describe('a file of automations/', () => {
  test('has all its fields', async () => {
    const bundle = await read(
      {
        'automations/digest.json': {
          title: 'Daily Revenue Digest',
          schedule: '0 9 * * 1-5',
          timezone: 'Europe/Berlin',
          prompt: 'Sum up yesterday.',
          delivery: {
            targets: [
              { type: 'webhook', url: 'env:HOOK', secret: 'env:KEY' },
              { type: 'callback', name: 'crm' },
            ],
            template: '{{automation}}: {{mrr}}',
            order: 'target',
          },
          failureAlert: {
            after: 3,
            cooldownMinutes: 5,
            targets: [{ type: 'webhook', url: 'https://page.example/x' }],
          },
          writeEnabled: true,
          overlap: 'queue',
          catchUp: 'all',
          deadline: 600,
          role: 'clerk',
        },
      },
      { HOOK: 'https://hooks.example/1', KEY: 'k' },
    )
    expect(told(bundle)).toEqual([])
    expect(automationsOf(bundle)).toMatchObject([
      {
        name: 'digest',
        title: 'Daily Revenue Digest',
        trigger: 'cron',
        timezone: 'Europe/Berlin',
        delivery: {
          order: 'target',
          targets: [{ url: 'env:HOOK', secret: 'env:KEY' }, { name: 'crm' }],
        },
        failureAlert: { after: 3, cooldownMinutes: 5 },
        writeEnabled: true,
        overlap: 'queue',
        catchUp: 'all',
        deadline: 600,
        role: 'clerk',
        file: 'automations/digest.json',
      },
    ])
    expect(JSON.stringify(bundle.parts)).not.toContain('hooks.example')
    expect(bundle.references).toMatchObject([
      { name: 'HOOK', set: true },
      { name: 'KEY', set: true },
    ])
  })

  test('says with what it begins, or it is inferred', async () => {
    const bundle = await read(
      {
        'automations/a.json': { schedule: '@daily', prompt: 'x' },
        'automations/b.json': {
          webhookAuth: { type: 'github', secret: ['env:A', 'env:B'] },
          prompt: 'x',
        },
        'automations/c.json': { prompt: 'x' },
      },
      { A: 'a', B: 'b' },
    )
    expect(told(bundle)).toEqual([])
    expect(
      automationsOf(bundle).map(({ name, trigger, overlap, writeEnabled }) => [
        name,
        trigger,
        overlap,
        writeEnabled,
      ]),
    ).toEqual([
      ['a', 'cron', 'skip', false],
      ['b', 'webhook', 'parallel', false],
      ['c', 'manual', 'parallel', false],
    ])
  })

  test('names each thing that is wrong with its line, and is left out', async () => {
    const bundle = await read({
      'automations/bad.json': `{
  "prompt": "x",
  "schedule": "61 * * * *",
  "timezone": "Mars/Base",
  "shedule": "0 9 * * *",
  "delivery": {
    "targets": [
      { "type": "webhook", "url": "env:NOT_THERE", "colour": "red" }
    ]
  }
}`,
      'automations/cron.json': '{\n  "prompt": "x",\n  "schedule": "61 * * * *"\n}',
      'automations/secret.json':
        '{\n  "prompt": "x",\n  "trigger": "webhook",\n  "webhookAuth": {\n    "type": "github",\n    "secret": "in clear"\n  }\n}',
      'automations/both.json':
        '{\n  "prompt": "x",\n  "trigger": "manual",\n  "schedule": "0 9 * * *"\n}',
    })
    expect(automationsOf(bundle)).toEqual([])
    expect(told(bundle)).toEqual([
      'error automations/bad.json:4 there is no time zone "Mars/Base"',
      'warning automations/bad.json:5 `shedule` is not a known field; did you mean `schedule`?',
      'warning automations/bad.json:8 `delivery.targets[0].colour` is not a known field',
      'error automations/bad.json:8 the variable NOT_THERE is not set (`delivery.targets[0].url`)',
      'error automations/both.json:4 it is started by "manual", and has a schedule',
      'error automations/cron.json:3 "61 * * * *" is no cron expression: Invalid value for minute: 61',
      'error automations/secret.json:6 `webhookAuth.secret` must name a variable: a secret does not stand in a file',
    ])
  })

  test('may be written in the older form', async () => {
    const bundle = await read({
      'automations/morning.md':
        '# Automation: Morning Brief\n\nSchedule: 0 7 * * *\n\n## Check\n\nPull all deals.\nSum up.\n\n## Output\n\nSlack\n',
      'automations/broken.md': '# Automation: Broken\n\nSchedule: 0 7\n\n## Check\n\nx\n',
      'automations/README.md': '# Ours',
    })
    expect(automationsOf(bundle)).toMatchObject([
      {
        name: 'morning',
        title: 'Morning Brief',
        schedule: '0 7 * * *',
        trigger: 'cron',
        prompt: 'Pull all deals.\nSum up.',
      },
    ])
    expect(told(bundle)).toEqual([
      expect.stringContaining('error automations/broken.md:3 "0 7" is no cron expression'),
      'warning automations/morning.md:10 "## Output" is not read',
    ])
  })

  test('says which role it has, where there are roles', async () => {
    const bundle = await read({
      'automations/a.json': { prompt: 'x' },
      'automations/b.json': { prompt: 'x', role: 'clerk' },
      'roles/clerk.json': { tools: '*' },
    })
    expect(told(bundle)).toEqual([
      'warning automations/a.json:1 there is no role "automation": its runs can use no tool',
    ])
  })
})
