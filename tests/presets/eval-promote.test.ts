import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DESK_TOKEN, promotedAgent, type Said } from '../support/promoted-agent.ts'
import { plantedValues, spellingsOf, type PlantedValues } from '../support/promoted-values.ts'

const ACCESS = JSON.stringify({
  endpoints: { 'GET /**': { returns: ['Contact'] }, 'POST /notes': { confirm: true } },
  fieldRestrictions: [
    { entity: 'Contact', field: 'national_id', policy: 'never_retrieve', sensitivity: 'high' },
  ],
})

const get = (endpoint: string): string => step({ method: 'GET', endpoint })
const note = (data: object): string => step({ method: 'POST', endpoint: '/notes', data })
const step = (args: object): string =>
  `> request ${JSON.stringify({ connection: 'desk', ...args })}`
const lines = (...all: readonly string[]): string => all.join('\n')

/** Conversations of several shapes, with planted values in what people say. */
const SHAPES: readonly ((n: number, planted: PlantedValues) => readonly Said[])[] = [
  (n, { email, token }) => [
    { text: lines(`Look up ${email} with ${token}, and tell nobody.`, get(`/contacts/${n}`)) },
  ],
  (n, { card }) => [
    {
      text: lines(
        `Book a note on ${n} for card ${card}.`,
        get(`/contacts/${n}`),
        note({ about: '$1.email', text: 'call $1.phone', at: '$1.address' }),
      ),
    },
  ],
  (n, { iban }) => [
    {
      text: lines(`Note this: ${iban}`, note({ account: iban, n })),
      answers: [{ approved: false }],
    },
  ],
  (n, { nationalId, phone }) => [
    { text: lines(`Who is ${nationalId}?`, get(`/contacts/${n}`)) },
    { text: lines(`Their phone is ${phone}, is it not?`, get(`/contacts/${n}?full=1`)) },
  ],
  (_n, { account, national }) => [
    {
      text: lines(
        'Ask me for the account.',
        '> ask_user {"question":"Which account number?"}',
        get(`/accounts/${account}`),
      ),
      answers: [{ response: `account number ${account}, or call ${national}` }],
    },
  ],
  (n, { email }) => [
    {
      text: `Have somebody look up ${email}.\n> dispatch_task ${JSON.stringify({
        agent: 'finder',
        prompt: lines(`Find ${email}`, get(`/contacts/${n}`)),
      })}`,
    },
  ],
  (n, { ssn }) => [{ text: lines(`Is ssn ${ssn} known?`, get(`/broken/${n}`)) }],
  (n, { address }) => [
    {
      text: lines(
        `Count for ${address}`,
        get(`/count/${n}`),
        get(`/count/${n}`),
        get(`/count/${n}`),
      ),
    },
  ],
  (n, { email }) => [
    {
      text: lines(
        `Größe 📦 für „${email}“, bitte: 東京 ${'sehr lang '.repeat(400)}`,
        get(`/long/${n}`),
      ),
      context: { background: `The person is ${email}`, page: '/contacts' },
    },
  ],
  (_n, { email }) => [
    { text: `The password is ${DESK_TOKEN}, for ${email} and no one else.` },
    { text: lines('And who is it?', get(`/search?email=${encodeURIComponent(email)}`)) },
  ],
]

test(
  '30 conversations become cases without planted values, and pass',
  { timeout: 120_000 },
  async () => {
    const agent = await promotedAgent({
      'connections/desk/access.json': ACCESS,
      'agents/finder/AGENT.md':
        '---\ndescription: Finds contacts\n---\nFind what you are asked for.\n',
    })
    onTestFinished(agent.close)
    const planted = Array.from({ length: 30 }, (_, n) => plantedValues(n))
    for (const [n, one] of planted.entries()) {
      const contact = {
        ...{
          id: n,
          name: `Größe ${n}`,
          email: one.email,
          phone: one.phone,
          card: Number(one.card),
        },
        ...{ iban: one.iban, ssn: one.ssn, address: one.address, national_id: one.nationalId },
        note: `Write to ${one.email} or call ${one.national}; never use ${one.token}.`,
      }
      agent.answer(`GET /contacts/${n}`, { body: contact })
      agent.answer(`GET /contacts/${n}?full=1`, { body: { contacts: [contact, { id: n }] } })
      agent.answer(`GET /accounts/${one.account}`, {
        body: { account_no: one.account, open: true },
      })
      agent.answer(`GET /broken/${n}`, {
        status: 422,
        body: { error: `${one.email} is not known` },
      })
      agent.answer(`GET /count/${n}`, ...[1, 2, 3].map((count) => ({ body: { count } })))
      agent.answer(`GET /long/${n}`, { body: { text: `${one.email} 🙂 `.repeat(300) } })
    }
    agent.answer('POST /notes', { body: { id: 'note-1', by: planted[0]?.email } })
    const conversations = planted.map((one, n) => SHAPES[n % SHAPES.length]?.(n, one) ?? [])
    const sessions = await agent.converse(conversations)

    const promoted = await agent.run('eval', 'promote', ...sessions)
    expect(promoted).toMatchObject({ code: 0, problems: '' })
    const files = await readdir(join(agent.dir, 'evals'))
    const texts = await Promise.all(
      files.map((file) => readFile(join(agent.dir, 'evals', file), 'utf8')),
    )
    expect(files).toHaveLength(30)
    const all = [...texts, ...files, promoted.out].join('\n')
    const values = [...planted.flatMap((one) => Object.values<string>({ ...one })), DESK_TOKEN]
    expect(values.flatMap(spellingsOf).filter((value) => all.includes(value))).toEqual([])

    const served = agent.served()
    const { code, out, problems } = await agent.run('eval')
    expect({ code, problems, out }).toMatchObject({ code: 0, problems: '' })
    expect(agent.served()).toBe(served)
  },
)

test('the command writes nothing without being asked to, and overwrites nothing', async () => {
  const agent = await promotedAgent({ 'connections/desk/access.json': ACCESS })
  onTestFinished(agent.close)
  agent.answer('GET /contacts/1', { body: { email: 'ann@acme.com' } })
  const [first = '', mixed = ''] = await agent.converse([
    [{ text: lines('Find 1', get('/contacts/1')) }, { text: 'Thank you' }],
    [
      {
        text: lines('Note two', note({ n: 1 }), note({ n: 2 })),
        answers: [{ approved: true }, { approved: false }],
      },
    ],
  ])
  const run = (...argv: readonly string[]) => agent.run('eval', 'promote', ...argv)
  const files = (): Promise<string[]> => readdir(join(agent.dir, 'evals')).catch(() => [])

  const dry = await run(first, '--dry-run', '--name', 'find')
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('1 × email in result') })
  expect(await files()).toEqual([])

  expect(await run(first, '--name', 'find', '--at', '2')).toMatchObject({ code: 0 })
  const file = join(agent.dir, 'evals/find.yaml')
  expect(await readFile(file, 'utf8')).not.toContain('Thank you')
  await writeFile(file, 'mine')
  expect(await run(first, '--name', 'find')).toMatchObject({
    code: 1,
    problems: expect.stringContaining('evals/find.yaml is there already'),
  })
  expect(await readFile(file, 'utf8')).toBe('mine')
  expect(await run(first, '--name', 'find', '--force')).toMatchObject({ code: 0 })
  expect(await readFile(file, 'utf8')).toContain('Thank you')
  expect(await run(first, '--out', 'elsewhere.yaml')).toMatchObject({ code: 0 })
  expect(await readFile(join(agent.dir, 'elsewhere.yaml'), 'utf8')).toContain('Thank you')

  expect(await run(mixed, 'sess_unknown')).toMatchObject({
    code: 1,
    problems: expect.stringMatching(
      /EVAL_NOT_PROMOTABLE: entry \d+: request was refused[\s\S]*SESSION_NOT_FOUND/,
    ),
  })
  expect(await files()).toEqual(['find.yaml'])
  for (const argv of [[], [first, '--at', 'x'], [first, mixed, '--name', 'x'], ['a/b']])
    expect(await run(...argv)).toMatchObject({ code: 2 })
  expect((await run(first, '--name', '../x')).problems).toContain('is no name of a file')
})

test('answers that people rated become cases with one command', async () => {
  const agent = await promotedAgent({ 'connections/desk/access.json': ACCESS })
  onTestFinished(agent.close)
  agent.answer('GET /contacts/1', { body: { email: 'ann@acme.com' } })
  await agent.converse([
    [
      {
        text: lines('Find 1', get('/contacts/1')),
        feedback: {
          rating: 'down',
          categories: ['inaccurate'],
          comment: 'It is bob@acme.com, not ann@acme.com',
        },
      },
      { text: 'Later', feedback: { rating: 'up' } },
    ],
    [{ text: 'Hello', feedback: { rating: 'down' } }],
    [{ text: 'Nobody rates this' }],
  ])
  const run = (...argv: readonly string[]) => agent.run('eval', 'promote', ...argv)
  expect(await run('--rating', 'down')).toMatchObject({ code: 0, problems: '' })
  const files = (await readdir(join(agent.dir, 'evals'))).sort()
  const texts = await Promise.all(
    files.map((file) => readFile(join(agent.dir, 'evals', file), 'utf8')),
  )
  const [find = '', hello = ''] = texts
  expect(files).toHaveLength(2)
  expect(find).toMatch(
    /Should NOT have the fault that a person reported: .*inaccurate: It is person\d@example\.com, not person\d@example\.com/,
  )
  expect(find).not.toMatch(/Later|acme\.com|tools_called|as it did/)
  expect(hello).toContain('Should NOT answer like this, which a person rated as bad: Done.')
  const graded = await agent.run('eval')
  expect(graded).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2') })

  expect(await run('--rating', 'up', '--limit', '1')).toMatchObject({ code: 0 })
  expect(await readdir(join(agent.dir, 'evals'))).toHaveLength(2 + 1)
  await writeFile(join(agent.dir, 'evals', files[0] ?? ''), 'mine')
  expect((await run('--rating', 'down')).out).toContain('is there already')
  expect(await readFile(join(agent.dir, 'evals', files[0] ?? ''), 'utf8')).toBe('mine')
  expect(await run('--rating', 'up', '--from', '2099-01-01')).toMatchObject({
    code: 0,
    out: 'There is no such feedback\n',
  })
  for (const argv of [
    ['--rating', 'x'],
    ['--from', '2026-01-01'],
    ['sess_1', '--rating', 'up'],
  ])
    expect(await run(...argv)).toMatchObject({ code: 2 })
  expect((await run('--rating', 'up', '--limit', 'many')).problems).toContain('limit')
})

test('a server makes the case where the command names one', async () => {
  const agent = await promotedAgent({})
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      requests.push([request.url, request.headers['x-scope-id'], JSON.parse(body)])
      const isKnown = body.includes('sess_one')
      const answer = isKnown
        ? { name: 'one', file: 'evals/one.yaml', text: 'name: one', replaced: [], notes: ['n'] }
        : { error: { code: 'EVAL_NOT_PROMOTABLE', message: 'entry 3: why' } }
      response.writeHead(isKnown ? 200 : 422).end(JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    await agent.close()
  })
  const bound = server.address()
  const url = `http://127.0.0.1:${typeof bound === 'object' ? (bound?.port ?? 0) : 0}`
  const run = (session: string) =>
    agent.run('eval', 'promote', session, '--url', url, '--scope', 'acme')
  expect(await run('sess_one')).toMatchObject({ code: 0 })
  expect(await readFile(join(agent.dir, 'evals/one.yaml'), 'utf8')).toBe('name: one')
  expect(await run('sess_two')).toMatchObject({
    code: 1,
    problems: 'sess_two: EVAL_NOT_PROMOTABLE: entry 3: why\n',
  })
  expect(requests[0]).toEqual(['/api/evals/promote', 'acme', { session: 'sess_one' }])
})
