import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { isList, isObject, type JsonObject } from '@amodal/sdk'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'
import { as, keyFor, keysOf } from '../security/support/people.ts'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand } from '../support/command.ts'
import { startPostgres } from '../support/postgres.ts'

const WAIT = { timeout: 30_000, interval: 25 }
const NAMES = ['anna', 'bert', 'cleo', 'dora', 'emil', 'fred', 'gina', 'hugo', 'iris', 'jack']
const PEOPLE = Object.fromEntries(NAMES.map((name) => [name, {}]))

const EXPERIMENT = {
  description: 'Does a brief answer do?',
  share: 1,
  variants: { brief: { prompt: 'tone/brief.md' } },
}
const FILES = {
  'agents/main/AGENT.md': '# Desk\n\nAnswer at length.\n',
  'experiments/tone.json': EXPERIMENT,
  'experiments/tone/brief.md': '# Desk\n\nAnswer in one sentence.\n',
}

type Variant = 'base' | 'brief'
/** Answers with the instructions that it was given. */
const echo: Script = ({ messages }) =>
  reply.text(JSON.stringify(messages).includes('in one sentence') ? 'brief' : 'base')

async function opened(options: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({
    script: echo,
    env: keysOf(PEOPLE),
    files: FILES,
    ...options,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

interface Talk {
  readonly variant: Variant
  readonly session: string
}
async function say(door: Door, name: string, session?: string): Promise<Talk> {
  const more = session === undefined ? {} : { session_id: session }
  const { body, status, text } = await door.say('Hello', more, as(name))
  expect({ status, text }).toMatchObject({ status: 200 })
  const answer = textIn(body, 'response')
  if (answer !== 'base' && answer !== 'brief') throw new Error(text)
  return { variant: answer, session: textIn(body, 'session_id') }
}

async function everybody(door: Door): Promise<ReadonlyMap<string, Talk>> {
  const talks = new Map<string, Talk>()
  for (const name of NAMES) talks.set(name, await say(door, name))
  return talks
}
const variantsOf = (talks: ReadonlyMap<string, Talk>): Readonly<Record<string, Variant>> =>
  Object.fromEntries([...talks].map(([name, { variant }]) => [name, variant]))

const anna = as('anna')
const figuresIn = (body: JsonObject): readonly JsonObject[] => {
  const { figures } = body
  return isList(figures) ? figures.filter((one) => isObject(one)) : []
}

describe('a share of the principals', () => {
  test('gets a variant, and keeps it in new sessions and after a restart', async () => {
    const door = await opened()
    const first = variantsOf(await everybody(door))
    expect(new Set(Object.values(first))).toEqual(new Set(['base', 'brief']))
    expect(variantsOf(await everybody(door))).toEqual(first)
    await door.restart()
    expect(variantsOf(await everybody(door))).toEqual(first)
  })
})

/** Nearly everybody gets the variant. */
const ALMOST_ALL = { share: 1, weights: { base: 1, other: 1_000_000 } }

describe('a variant', () => {
  test('changes skills, knowledge and the model, in what tools read as well', async () => {
    const skill = (step: string): string =>
      `# Refund\n\nTrigger: When money is asked back\n\n## Steps\n\n${step}\n`
    const door = await opened({
      files: {
        'skills/refund.md': skill('Ask why.'),
        'knowledge/hours.md': '# Hours\n\nFrom nine to five.\n',
        'experiments/all.json': {
          ...ALMOST_ALL,
          variants: {
            other: {
              skills: { Refund: 'all/refund.md' },
              knowledge: { hours: '# Hours\n\nDay and night.\n' },
              model: { model: 'larger', temperature: 0.5 },
            },
          },
        },
        'experiments/all/refund.md': skill('Pay at once.'),
      },
      manifest: {
        plugins: [
          ['skills', { inlineTokens: 0 }],
          ['knowledge', { eagerTokens: 0 }],
        ],
      },
      script: reply.toolsThenText(
        [
          { name: 'activate_skill', arguments: { name: 'Refund' } },
          { name: 'load_knowledge', arguments: { name: 'hours' } },
        ],
        'Done.',
      ),
    })
    expect(await door.say('Hello', {}, anna)).toMatchObject({ status: 200 })
    const { body } = door.model.requests.at(-1) ?? {}
    expect(body).toMatchObject({ model: 'larger', temperature: 0.5 })
    expect(JSON.stringify(body)).toContain('Pay at once.')
    expect(JSON.stringify(body)).toContain('Day and night.')
    expect(JSON.stringify(door.model.requests)).not.toMatch(/Ask why|nine to five/)
  })

  test('is recorded in the journal, and stays while its run waits for a person', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'experiments/tone.json': {
          ...ALMOST_ALL,
          variants: { other: { prompt: 'tone/brief.md' } },
        },
      },
      script: reply.toolsThenText({ name: 'ask_user', arguments: { question: 'Which?' } }, 'Done.'),
    })
    const begun = await door.say('Hello', {}, anna)
    const session = textIn(begun.body, 'session_id')
    const waiting = await door.get(`/sessions/${session}`, anna)
    const { pending_input: asks } = waiting.body
    const [ask] = isList(asks) ? asks : []
    const id = textIn(isObject(ask) ? ask : {}, 'id')
    await door.restart()
    expect(await door.dump()).toMatch(/lasting:experiments[^}]*tone[^}]*other/)
    const answer = { session_id: session, id, response: 'This.' }
    expect(await door.answer(answer, anna)).toMatchObject({ status: 200 })
    await vi.waitFor(() => {
      const { body } = door.model.requests.at(-1) ?? {}
      expect(body?.messages.at(-1)).toMatchObject({ role: 'tool' })
      expect(JSON.stringify(body)).toContain('in one sentence')
    }, WAIT)
    expect(await door.dump()).not.toContain('bundle_changed')
    // The time until a person answered says nothing of the agent.
    await vi.waitFor(async () => {
      const { body } = await door.get('/api/experiments/tone', anna)
      expect(figuresIn(body)).toMatchObject([
        { runs: 0 },
        { runs: 1, metrics: { latency: { principals: 0 }, errors: { principals: 1 } } },
      ])
    }, WAIT)
  })

  test('is what sub-agents use as well, without a figure of their own', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'skills/refund.md': '# Refund\n\nTrigger: Money\n\n## Steps\n\nAsk why.\n',
        'experiments/tone.json': {
          ...ALMOST_ALL,
          variants: {
            other: { skills: { Refund: '# Refund\n\nTrigger: Money\n\n## Steps\n\nPay.\n' } },
          },
        },
      },
      script: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') || !JSON.stringify(messages).includes('Begin')
          ? reply.text('Done.')
          : reply.toolCalls({
              name: 'dispatch_task',
              arguments: { prompt: 'Help' },
            }),
    })
    expect(await door.say('Begin', {}, anna)).toMatchObject({ status: 200 })
    expect(door.model.requests.length).toBe(3)
    const states = (await door.dump()).match(/lasting:experiments/g) ?? []
    expect(states.length).toBeGreaterThanOrEqual(2)
    await vi.waitFor(async () => {
      const { body } = await door.get('/api/experiments/tone', anna)
      expect(figuresIn(body)).toMatchObject([{ runs: 0 }, { runs: 1 }])
    }, WAIT)
  })
})

describe('what came of it', () => {
  test('is counted by principal, with ratings, and shown with an interval', async () => {
    const door = await opened()
    const talks = await everybody(door)
    await everybody(door)
    for (const [name, { session, variant }] of talks)
      expect(
        await door.post(
          '/api/feedback',
          { session_id: session, rating: variant === 'brief' ? 'up' : 'down' },
          as(name),
        ),
      ).toMatchObject({ status: 200 })
    const briefs = [...talks.values()].filter(({ variant }) => variant === 'brief').length
    await vi.waitFor(async () => {
      const { body } = await door.get('/api/experiments/tone', anna)
      expect(body).toMatchObject({ name: 'tone', status: 'running', metric: 'feedback' })
      expect(figuresIn(body)).toMatchObject([
        {
          variant: 'base',
          control: true,
          principals: NAMES.length - briefs,
          runs: 2 * (NAMES.length - briefs),
          verdict: null,
          metrics: { feedback: { mean: 0 }, errors: { mean: 0 }, latency: { difference: null } },
        },
        {
          variant: 'brief',
          principals: briefs,
          runs: 2 * briefs,
          verdict: 'too_few',
          metrics: { feedback: { principals: briefs, mean: 1, difference: 1 } },
        },
      ])
    }, WAIT)
    const { body } = await door.get('/api/experiments', anna)
    expect(body).toMatchObject({ experiments: [{ name: 'tone', variants: ['base', 'brief'] }] })
    const view = await door.get('/api/studio/experiments?experiment=tone', anna)
    expect(view.text).toContain('too few principals')
    expect(view.text).toContain('/api/experiments/tone/promote')
  })

  test('is of the people who take part, and not of evals and sub-agents', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'evals/one.yaml': 'cases:\n  - input: Hi\n    assert: [{ contains: base }]\n',
      },
    })
    const begun = await door.post('/api/evals/run', {}, anna)
    await vi.waitFor(async () => {
      const { body } = await door.get(`/api/evals/runs/${textIn(begun.body, 'id')}`, anna)
      expect(body).toMatchObject({ status: 'done', summary: { variants: [{ passed: 1 }] } })
    }, WAIT)
    const { body } = await door.get('/api/experiments/tone', anna)
    expect(figuresIn(body)).toMatchObject([{ runs: 0 }, { runs: 0 }])
  })
})

describe('a decision', () => {
  test('to stop gives new sessions the agent as it is, and moves no session', async () => {
    const door = await opened()
    const talks = await everybody(door)
    const [name, talk] = [...talks].find(([, { variant }]) => variant === 'brief') ?? [
      '',
      undefined,
    ]
    expect(await door.post('/api/experiments/tone/stop', {}, anna)).toMatchObject({
      status: 200,
      body: { status: 'stopped' },
    })
    expect(new Set(Object.values(variantsOf(await everybody(door))))).toEqual(new Set(['base']))
    expect(await say(door, name, talk?.session)).toMatchObject({ variant: 'brief' })
    const { body } = await door.get('/api/experiments/tone', anna)
    expect(body).toMatchObject({ status: 'stopped', decided: { principal: expect.any(String) } })
    expect(await door.post('/api/experiments/tone/stop', {}, anna)).toMatchObject({
      status: 409,
      body: { error: { code: 'EXPERIMENT_ENDED' } },
    })
    await vi.waitFor(async () => expect(await door.dump()).toContain('experiment_decided'), WAIT)
  })

  test('to promote changes the files of a folder, all of them, and ends the experiment', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'skills/refund.md':
          '# Refund\n\nTrigger: When money is asked back\n\n## Steps\n\nAsk why.\n',
        'experiments/tone.json': {
          share: 1,
          variants: { brief: { prompt: 'tone/brief.md', skills: { Refund: 'tone/refund.md' } } },
        },
        'experiments/tone/refund.md':
          '# Refund\n\nTrigger: When money is asked back\n\n## Steps\n\nPay at once.\n',
      },
    })
    const talks = await everybody(door)
    const [name, talk] = [...talks].find(([, { variant }]) => variant === 'base') ?? ['', undefined]
    const promoted = await door.post('/api/experiments/tone/promote', { variant: 'brief' }, anna)
    expect(promoted).toMatchObject({ status: 200, body: { where: 'files', status: 'promoted' } })
    const read = (path: string): Promise<string> => readFile(join(door.dir, path), 'utf8')
    expect(await read('agents/main/AGENT.md')).toBe('# Desk\n\nAnswer in one sentence.\n')
    expect(await read('skills/refund.md')).toContain('Pay at once.')
    expect(JSON.parse(await read('experiments/tone.json'))).toMatchObject({
      status: 'stopped',
      promoted: 'brief',
      variants: { base: { prompt: 'tone/base/prompt.md' }, brief: { prompt: 'tone/brief.md' } },
    })
    expect(new Set(Object.values(variantsOf(await everybody(door))))).toEqual(new Set(['brief']))
    // The files count from now on, and no variant stands before them.
    await writeFile(join(door.dir, 'agents/main/AGENT.md'), '# Desk\n\nAnswer in verse.\n')
    await vi.waitFor(async () => {
      await say(door, 'anna')
      expect(JSON.stringify(door.model.requests.at(-1)?.body)).toContain('Answer in verse.')
    }, WAIT)
    // A session that began with the files of before goes on with them.
    expect(await say(door, name, talk?.session)).toMatchObject({ variant: 'base' })
    const { body } = await door.get('/api/experiments/tone', anna)
    expect(body).toMatchObject({ status: 'promoted', promoted: 'brief' })
    expect(figuresIn(body).map(({ runs }) => runs)).not.toContain(0)
    const response = await door.post('/api/experiments/tone/promote', { variant: 'base' }, anna)
    expect(response).toMatchObject({ status: 409 })
  })

  test('to promote can be undone as a change of the files', async () => {
    const door = await opened()
    const promoted = await door.post('/api/experiments/tone/promote', { variant: 'brief' }, anna)
    expect(promoted).toMatchObject({ status: 200, body: { where: 'files' } })
    const { body } = await door.get('/config/changes', anna)
    const [change] = isList(body['applied']) ? body['applied'] : []
    if (!isObject(change)) throw new Error('no change is listed')
    expect(change).toMatchObject({ session_id: null, undoes: null })
    const undone = await door.post(`/config/changes/${textIn(change, 'id')}/undo`, {}, anna)
    expect(undone).toMatchObject({ status: 200 })
    const read = (path: string): Promise<string> => readFile(join(door.dir, path), 'utf8')
    expect(await read('agents/main/AGENT.md')).toBe(FILES['agents/main/AGENT.md'])
    expect(JSON.parse(await read('experiments/tone.json'))).toEqual(EXPERIMENT)
  })

  test('that the agent would not load with changes nothing', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'experiments/tone.json': {
          variants: {
            hot: { prompt: 'tone/brief.md', settings: { limits: { temperature: 'hot' } } },
          },
        },
      },
    })
    const read = async (): Promise<readonly string[]> =>
      Promise.all(
        ['amodal.json', 'agents/main/AGENT.md', 'experiments/tone.json'].map((path) =>
          readFile(join(door.dir, path), 'utf8'),
        ),
      )
    const before = await read()
    expect(
      await door.post('/api/experiments/tone/promote', { variant: 'hot' }, anna),
    ).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'EXPERIMENT_NOT_PROMOTABLE',
          message: expect.stringMatching(/nothing was changed.*temperature/),
        },
      },
    })
    expect(await read()).toEqual(before)
    expect(await say(door, 'anna')).toMatchObject({ variant: 'base' })
    const unknown = await door.post('/api/experiments/tone/promote', { variant: 'terse' }, anna)
    expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'EXPERIMENT_INVALID' } } })
    expect(await door.post('/api/experiments/none/stop', {}, anna)).toMatchObject({ status: 404 })
  })

  test('needs the scope, and is of the tenant alone', async () => {
    const door = await opened({
      env: keysOf({
        anna: { tenant: 'acme' },
        bert: { tenant: 'beta' },
        carl: { tenant: 'acme', scopes: ['chat'] },
      }),
    })
    await say(door, 'anna')
    const runs = async (name: string): Promise<number> => {
      const { body } = await door.get('/api/experiments/tone', as(name))
      return figuresIn(body).reduce((sum, one) => sum + Number(one['runs']), 0)
    }
    await vi.waitFor(async () => expect(await runs('anna')).toBe(1), WAIT)
    expect(await runs('bert')).toBe(0)
    for (const path of ['/api/experiments', '/api/studio/experiments'])
      expect(await door.get(path, as('carl'))).toMatchObject({ status: 403 })
    expect(await door.post('/api/experiments/tone/stop', {}, as('carl'))).toMatchObject({
      status: 403,
    })
    expect(await door.post('/api/experiments/tone/stop', {}, as('bert'))).toMatchObject({
      status: 200,
    })
    const { body } = await door.get('/api/experiments/tone', anna)
    expect(body).toMatchObject({ status: 'running' })
  })
})

describe('two instances on one Postgres', () => {
  test('give the same variants, and follow a promotion', async () => {
    const [postgres, model] = await Promise.all([
      startPostgres(),
      startModelServer({ script: echo }),
    ])
    onTestFinished(async () => {
      await Promise.all([postgres.stop(), model.close()])
    })
    const manifest = {
      name: 'desk',
      version: '1.0.0',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    }
    await using folder = await agentFolder({
      'amodal.json': JSON.stringify(manifest),
      ...FILES,
      'experiments/tone.json': JSON.stringify(EXPERIMENT),
    })
    const env = {
      AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: await postgres.createDatabase(),
      LOG_LEVEL: 'none',
      ...keysOf(PEOPLE),
    }
    const start = async () => {
      const started = await startFolder({ dir: folder.dir, env, preset: 'production', port: 0 })
      if (!started.ok) throw new Error(explainStart(started.error))
      const { host, port } = started.value.kernel.scope.get(HttpApp).address() ?? {}
      return { ...started.value, url: `http://${host ?? ''}:${port ?? 0}` }
    }
    const ask = async (url: string, name: string, path: string, body?: object) => {
      const response = await fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', ...as(name) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return (await response.json()) as JsonObject // routes of our own answer with JSON
    }
    const variants = async (url: string): Promise<readonly unknown[]> =>
      Promise.all(
        NAMES.map(
          async (name) => (await ask(url, name, '/chat/sync', { message: 'Hi' }))['response'],
        ),
      )
    const [one, two] = [await start(), await start()]
    try {
      const first = await variants(one.url)
      expect(new Set(first)).toEqual(new Set(['base', 'brief']))
      expect(await variants(two.url)).toEqual(first)
      await one.close('restart')
      const three = await start()
      try {
        expect(await variants(three.url)).toEqual(first)
        await vi.waitFor(async () => {
          const figures = figuresIn(await ask(two.url, 'anna', '/api/experiments/tone'))
          expect(figures.reduce((sum, { runs }) => sum + Number(runs), 0)).toBe(3 * NAMES.length)
        }, WAIT)
        const promoted = await ask(two.url, 'anna', '/api/experiments/tone/promote', {
          variant: 'brief',
        })
        expect(promoted).toMatchObject({ where: 'server', files: [] })
        expect(JSON.stringify(promoted)).toContain('deploy it')
        await vi.waitFor(async () => {
          expect(new Set(await variants(three.url))).toEqual(new Set(['brief']))
        }, WAIT)
        expect(await readFile(join(folder.dir, 'agents/main/AGENT.md'), 'utf8')).toContain('length')
      } finally {
        await three.close('test')
      }
    } finally {
      await two.close('test')
    }
  }, 180_000)
})

describe('a file that cannot be used', () => {
  test.each<[string, JsonObject, string, RegExp]>([
    [
      'a guard',
      { variants: { open: { roles: {} } } },
      'EXPERIMENT_GUARDED',
      /experiments\/bad\.json:4.*variants\.open\.roles/,
    ],
    [
      'settings of a guard',
      { variants: { open: { settings: { plugins: { 'guard-access': {} } } } } },
      'EXPERIMENT_GUARDED',
      /experiments\/bad\.json:6.*plugins\.guard-access/,
    ],
    [
      'a limit',
      { variants: { open: { settings: { limits: { maxRunCost: 9 } } } } },
      'EXPERIMENT_GUARDED',
      /limits\.maxRunCost/,
    ],
    [
      'the address of a model',
      { variants: { open: { settings: { models: { main: { baseUrl: 'http://x' } } } } } },
      'EXPERIMENT_GUARDED',
      /models\.main\.baseUrl/,
    ],
    [
      'a file that is not there',
      { variants: { open: { prompt: 'bad/none.md' } } },
      'EXPERIMENT_INVALID',
      /experiments\/bad\.json:4.*there is no file experiments\/bad\/none\.md/,
    ],
    [
      'a skill that is not there',
      { variants: { open: { skills: { Triage: 'text' } } } },
      'EXPERIMENT_INVALID',
      /the agent has no skill "Triage"/,
    ],
    [
      'a commit online',
      { share: 0.5, variants: { old: { commit: 'HEAD~1' } } },
      'EXPERIMENT_INVALID',
      /`commit` of the variant "old" cannot be tried/,
    ],
    [
      'a variant that is not there',
      { control: 'none', variants: { open: { prompt: 'Be open.' } } },
      'EXPERIMENT_INVALID',
      /there is no variant "none"/,
    ],
    [
      'something that another one varies',
      { share: 1, variants: { open: { prompt: 'Be open.' } } },
      'EXPERIMENT_INVALID',
      /varies the prompt/,
    ],
  ])('for %s is named with its line, and the others go on', async (_what, bad, code, message) => {
    await using folder = await agentFolder({
      'amodal.json': JSON.stringify({ name: 'desk', version: '1.0.0' }),
      ...FILES,
      'experiments/bad.json': JSON.stringify(bad, null, 2),
      'experiments/tone.json': JSON.stringify({ ...EXPERIMENT, share: bad['share'] === 1 ? 1 : 0 }),
    })
    const { code: exit, said } = await runCommand(['validate', '--dir', folder.dir])
    expect(exit).toBe(1)
    expect(said).toMatch(message)
    const json = await runCommand(['validate', '--dir', folder.dir, '--json'])
    expect(json.out).toContain(code)
    const list = await runCommand(['ops', 'experiment', '--dir', folder.dir])
    expect(list.out).toMatch(bad['share'] === 1 ? /bad\s+running/ : /tone\s+offline/)
  })
})

describe('the command line', () => {
  const run = (door: Door, ...argv: string[]) =>
    runCommand(['ops', 'experiment', ...argv, '--url', door.url, '--dir', door.dir], {
      env: { AMODAL_CREDENTIAL: keyFor('anna') },
    })

  test('shows the figures of a server, and decides there', async () => {
    const door = await opened({
      files: {
        ...FILES,
        'experiments/other.json': { variants: { a: { model: 'openai/gpt-5.2' } } },
      },
    })
    await everybody(door)
    expect(await run(door)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/other\s+offline[\s\S]*tone\s+running\s+100\.0 %/),
    })
    await vi.waitFor(async () => {
      const { out } = await run(door, 'tone', '--status')
      expect(out).toMatch(/brief\s+0\s+—\s+—\s+too few/)
      expect(out).toMatch(/brief\s+errors\s+[1-9]\d*\s+0\.0 %/)
    }, WAIT)
    expect(await run(door, 'tone', '--stop')).toMatchObject({ code: 0 })
    expect(await run(door, 'tone', '--promote', 'brief')).toMatchObject({
      code: 1,
      err: expect.stringContaining('EXPERIMENT_ENDED'),
    })
    expect(await run(door, 'none', '--status')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there are: other, tone'),
    })
    expect(await run(door, 'tone')).toMatchObject({ code: 2 })
    expect(await run(door, 'tone', '--stop', '--status')).toMatchObject({ code: 2 })
  })

  const EVALS = {
    'evals/tone.yaml': `name: tone\ncases:\n${Array.from({ length: 8 }, (_, at) => `  - input: Say ${at}\n    assert: [{ contains: brief }]\n`).join('')}`,
  }
  const offline = async (experiment: JsonObject) => {
    const model = await startModelServer({ script: echo })
    const folder = await agentFolder({
      'amodal.json': JSON.stringify({
        name: 'desk',
        version: '1.0.0',
        models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
      }),
      ...FILES,
      ...EVALS,
      'experiments/tone.json': JSON.stringify(experiment),
    })
    onTestFinished(async () => {
      await Promise.all([model.close(), folder.remove()])
    })
    return { folder, model }
  }

  test('runs the evals once with each variant, and compares them case by case', async () => {
    const { folder, model } = await offline({
      variants: {
        brief: { prompt: 'tone/brief.md' },
        cold: { settings: { limits: { temperature: 0 } } },
      },
      evals: ['tone'],
    })
    const ran = await runCommand(['ops', 'experiment', 'tone', '--dir', folder.dir])
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.out).toMatch(/base\s+0 of 8\s+—.*control/)
    expect(ran.out).toMatch(/brief\s+8 of 8\s+\+.*to \+100\.0 %.*better/)
    expect(ran.out).toMatch(/cold\s+0 of 8.*undecided/)
    expect(ran.out).toContain('brief: better: tone / case-1')
    expect(model.requests.at(-1)?.body['temperature']).toBe(0)
    const json = await runCommand(['ops', 'experiment', 'tone', '--dir', folder.dir, '--json'])
    expect(JSON.parse(json.out)).toMatchObject({
      experiment: 'tone',
      variants: [{ variant: 'base' }, { variant: 'brief', verdict: 'better', passed: 8 }, {}],
    })
  })

  test('goes on where one variant cannot be run, and says why', async () => {
    const { folder } = await offline({
      variants: { gone: { commit: 'abc123' }, brief: { prompt: 'tone/brief.md' } },
    })
    const ran = await runCommand(['ops', 'experiment', 'tone', '--dir', folder.dir])
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/gone: EVAL_CHANGE_INVALID/)
    expect(ran.out).toMatch(/brief\s+8 of 8/)
  })

  test('promotes in the folder, without a server', async () => {
    const { folder } = await offline(EXPERIMENT)
    const ran = await runCommand([
      ...['ops', 'experiment', 'tone', '--promote', 'brief', '--dir', folder.dir],
    ])
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('agents/main/AGENT.md') })
    expect(await readFile(join(folder.dir, 'agents/main/AGENT.md'), 'utf8')).toContain('sentence')
    expect(await runCommand(['validate', '--dir', folder.dir])).toMatchObject({ code: 0 })
  })
})
