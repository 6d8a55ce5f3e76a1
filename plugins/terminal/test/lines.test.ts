import { describe, expect, test } from 'vitest'
import { obedient, world, type World } from './world.ts'

const linesOf = (out: string): readonly Record<string, unknown>[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))

describe('amodal chat in lines', () => {
  test('answers one message', async () => {
    await using agent = await world(obedient)
    expect(await agent.run([], { message: 'hello there' })).toEqual({
      code: 0,
      out: 'You: hello there\n',
      errors: '',
    })
  })

  test('goes on until the person leaves', async () => {
    await using agent = await world(obedient)
    const { code, out } = await agent.run(['hello', '', 'more', '/session', '/clear', '/exit', 'x'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /you › You: hello\n[^]*you › You: more\n[^]*you › sess_\w+\n[^]*\(forgotten\)/,
    )
    expect(out).not.toContain('You: x')
  })

  test('shows tools, and nothing that is secret or that a terminal would obey', async () => {
    await using agent = await world(obedient)
    const { out } = await agent.run([
      'tool',
      'a\u001b[2J\u202eb\u2066\u0007\u001b]52;c;aGk=\u0007c\u009b31md',
    ])
    expect(out).toContain('Looking. \n  → look_up {"path":"/deals","api_key":"[REDACTED]"}\n')
    expect(out).toContain('You: abcd\n')
    expect((await agent.run(['broken'])).out).toMatch(/→ look_up [^]*✗ .*no such path/)
  })

  test.each([
    ['y', 'isSent'],
    ['yes', 'isSent'],
    ['n', 'declined'],
    [' NO', 'declined'],
  ])('asks for an approval, and takes "%s"', async (typed, result) => {
    await using agent = await world(obedient)
    const { code, out } = await agent.run(['mail', typed])
    expect(out).toMatch(/\? send_mail/)
    expect(out).not.toContain('sk-planted')
    expect(out).toMatch(new RegExp(`Allow it\\?[^]*Result: .*${result}`))
    expect(code).toBe(0)
  })

  test.each(['', 'yes please, but only to Ada', 'ja', 'e'])(
    'takes "%s" for no answer to an approval, and asks once more',
    async (typed) => {
      await using agent = await world(obedient)
      const { out } = await agent.run(['mail', typed, 'y'])
      expect(out).toMatch(/Allow it\? \[\S+\] .*Please type y[^]*Allow it\? [^]*isSent/)
    },
  )

  test('asks questions until an answer fits', async () => {
    await using agent = await world(obedient)
    const { out } = await agent.run([
      ...['question', '', ' the red one '],
      ...['sure', 'perhaps', 'Yes'],
      ...['choose', '1, Africa', '1, asia'],
      ...['form', 'Ada', 'n'],
    ])
    expect(out).toMatch(/\? Which one\?\n {2}› .*Please type an answer[^]*the red one/)
    expect(out).toMatch(/\? Sure\?\n {2}\[y\/n\] › .*Please type y or n\.[^]*response.*true/)
    expect(out).toMatch(
      /\? Where\?\n {4}1\. Europe\n {4}2\. Asia\n {2}› .*Please type numbers from 1 to 2[^]*Europe.*Asia/,
    )
    expect(out).toMatch(/\? Name\?\n[^]*\? Sure\?\n[^]*q1.*Ada.*q2.*false/)
  })

  test('without an answer it prints how to resume, and resumes there', async () => {
    await using agent = await world(obedient)
    const first = await agent.run([], { message: 'mail' })
    expect(first).toMatchObject({
      code: 1,
      errors: expect.stringMatching(
        /^The agent waits for an answer\. Go on with: amodal chat --resume sess_\w+\n$/,
      ),
    })
    const second = await agent.run(['y'], { options: { resume: 'latest' } })
    expect(second.out).toMatch(/Going on with "mail" \(sess_\w+\)[^]*Allow it[^]*isSent/)
    const [, session = ''] = /--resume (\S+)/.exec(first.errors) ?? []
    const third = await agent.run(['hello'], { options: { resume: session } })
    expect(third.out).toMatch(/isSent[^]*You: hello\n/)
  })

  test('lists sessions, begins another one and goes on with one of before', async () => {
    await using agent = await world(obedient)
    const { out } = await agent.run([
      ...['hello', '/new', 'more', '/sessions', '/resume 2', '/session', '/resume 9'],
      ...['/resume sess_none', '/resume', '/exit'],
    ])
    expect(out).toMatch(/1\. more \(sess_\w+\), this one\n +2\. hello \((sess_\w+)\)\n/)
    const [, id = ''] = /2\. hello \((sess_\w+)\)/.exec(out) ?? []
    expect(out).toMatch(new RegExp(`Going on with "hello" \\(${id}\\)[^]*you › ${id}\\n`))
    expect(out).toMatch(/Which one\?[^]*SESSION_NOT_FOUND: [^]*Which one\?/)
  })

  test('a turn that fails says why', async () => {
    await using agent = await world(obedient)
    expect(await agent.run([], { message: 'fail' })).toMatchObject({
      code: 1,
      out: expect.stringContaining('the model refused'),
    })
  })

  test('what cannot be talked to is an error with a code', async () => {
    await using agent = await world(obedient)
    const failing = async (options: Parameters<World['run']>[1]): Promise<unknown> => {
      const { code, errors } = await agent.run([], options)
      return [code, errors]
    }
    expect(await failing({ message: 'x', options: { resume: 'sess_none' } })).toEqual([
      1,
      expect.stringMatching(/^SESSION_NOT_FOUND: /),
    ])
    expect(await failing({ options: { resume: 'latest' } })).toEqual([
      1,
      'there is no session to resume\n',
    ])
    expect(await failing({ message: 'x', options: { url: 'http://127.0.0.1:1' } })).toEqual([
      1,
      expect.stringMatching(/^UNREACHABLE: /),
    ])
    expect(await failing({ options: { config: 'snapshot.json' } })).toEqual([
      2,
      expect.stringMatching(/^amodal chat --config snapshot\.json: .*snapshots.*--dir.*--url/),
    ])
  })

  test('talks to a server as it does to a folder', async () => {
    await using agent = await world(obedient)
    const options = { url: agent.url }
    const { out, code } = await agent.run(['question', 'blue', 'mail', 'y', '/clear'], { options })
    expect(out).toMatch(/Result: .*blue[^]*Result: .*isSent[^]*\(forgotten\)/)
    expect(code).toBe(0)
  })

  test('an app lists and resumes its own sessions', async () => {
    await using agent = await world(obedient)
    await agent.run([], { message: 'of mine', options: { 'app-id': 'mine' } })
    await agent.run([], { message: 'of nobody' })
    const { out } = await agent.run(['/sessions'], { options: { 'app-id': 'mine' } })
    expect(out).toContain('of mine')
    expect(out).not.toContain('of nobody')
  })
})

describe('amodal chat --json', () => {
  const options = { json: true }

  test('prints an object for each item, and one for the session', async () => {
    await using agent = await world(obedient)
    const { code, out } = await agent.run(['tool', '{"message":"bye"}'], { options })
    expect(code).toBe(0)
    expect(linesOf(out)).toEqual([
      { kind: 'user', text: 'tool' },
      { kind: 'session', session: expect.stringMatching(/^sess_/) },
      { kind: 'text', text: 'Looking. ' },
      expect.objectContaining({ kind: 'call', name: 'look_up', status: 'success' }),
      { kind: 'text', text: expect.stringMatching(/^Result: /) },
      expect.objectContaining({ kind: 'end', reason: 'model_stop' }),
      { kind: 'user', text: 'bye' },
      { kind: 'text', text: 'You: bye' },
      expect.objectContaining({ kind: 'end', reason: 'model_stop' }),
    ])
  })

  test('takes the answer to a question from a line', async () => {
    await using agent = await world(obedient)
    const { out } = await agent.run(['mail', 'yes', '{"answer":{"approved":true}}'], { options })
    const lines = linesOf(out)
    expect(lines.filter(({ kind }) => kind === 'ask')[0]).toMatchObject({
      open: true,
      ask: { kind: 'approval', tool: 'send_mail', params: { token: '[REDACTED]' } },
    })
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'error', code: 'VALIDATION_ERROR' }),
    )
    expect(lines).toContainEqual({ kind: 'text', text: expect.stringContaining('isSent') })
  })
})
