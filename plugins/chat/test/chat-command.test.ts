import { describe, expect, test } from 'vitest'
import {
  Agent,
  Commands,
  explain,
  Kernel,
  silentLogger,
  unwrap,
  use,
  type CommandContext,
} from '@amodal/sdk'
import { chat } from '../src/index.ts'
import { SmallAgent } from './small-agent.ts'
import { served } from './server.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly errors: string
  readonly agent: SmallAgent
}

/** Runs `amodal chat` as the command line would, with what a person types. */
async function run(
  typed: readonly string[],
  {
    message = '',
    options = {},
    agent = new SmallAgent(),
  }: { message?: string; options?: CommandContext['options']; agent?: SmallAgent } = {},
): Promise<Ran> {
  const start = async (): Promise<Kernel> =>
    unwrap(await Kernel.create([use(chat)], { services: [[Agent, agent]] }), explain)
  const command = (await start()).current().registry(Commands).get('chat')
  let [out, errors] = ['', '']
  const code = await command!.run({
    options,
    arguments: message === '' ? [] : message.split(' '),
    dir: '/',
    env: {},
    log: silentLogger,
    start,
    signal: new AbortController().signal,
    print: (line) => {
      out += `${line}\n`
    },
    write: (text) => {
      out += text
    },
    fail: (line) => {
      errors += `${line}\n`
    },
    input: (async function* () {
      yield* typed
    })(),
  })
  return { code, out, errors, agent }
}

describe('amodal chat', () => {
  test('answers one message', async () => {
    expect(await run([], { message: 'hello there' })).toMatchObject({
      code: 0,
      out: 'hello there\n',
      errors: '',
    })
  })

  test('keeps a conversation until the person leaves', async () => {
    const { code, out, agent } = await run([
      'hello',
      '',
      'again',
      '/session',
      '/clear',
      '/exit',
      'never',
    ])
    expect(code).toBe(0)
    expect(out).toMatch(/you › hello\n[\s\S]*you › again\n[\s\S]*sess_1\n[\s\S]*\(forgotten\)/)
    expect(out).not.toContain('never')
    expect(agent.sessions.size).toBe(1)
  })

  test('shows tools, and nothing that is secret or that a terminal would obey', async () => {
    const { out } = await run(['tool', 'a\u001b[2J\u202eb\u2066\u0007'])
    expect(out).toContain(
      'Looking. \n  → request {"path":"/deals","api_key":"[REDACTED]"}\n  [data-table] {"rows":[]}\nTwo deals.\n',
    )
    expect(out).toContain('a[2Jb\n')
  })

  test.each([
    ['y', true],
    ['yes', true],
    ['n', false],
    [' NO', false],
  ])('asks for an approval, and takes "%s"', async (typed, approved) => {
    const { code, out } = await run(['approve', typed])
    expect(out).toContain('  ? /mail: sends mail\n')
    expect(out).not.toContain('sk-planted')
    expect(out).toContain(`You said {"approved":${approved}}.`)
    expect(code).toBe(0)
  })

  test.each([
    ['a', '{"approved":true,"scope":"conversation"}'],
    ['y', '{"approved":true}'],
    ['no', '{"approved":false}'],
  ])('offers to approve for the conversation, and takes "%s"', async (typed, answer) => {
    const { out } = await run(['grant', typed])
    expect(out).toContain('a: yes, and later calls of POST /mails as well\n')
    expect(out).toContain(`You said ${answer}.`)
  })

  test.each(['', 'yes please, but only to Ada', 'a', 'ja', 'e'])(
    'takes "%s" for no answer to an approval, and asks once more',
    async (typed) => {
      const { out } = await run(['approve', typed, 'y'])
      expect(out).toMatch(/Allow it\? \[y\/n\] .*Please type y or n\.\n.*Allow it\? \[y\/n\] /s)
      expect(out.match(/You said/g)).toHaveLength(1)
      expect(out).toContain('You said {"approved":true}.')
    },
  )

  test('asks a question until there is an answer', async () => {
    const { out } = await run(['question', '', ' the red one '])
    expect(out).toMatch(/\? Which one\?\n {2}› .*Please type an answer/s)
    expect(out).toContain('You said {"response":"the red one"}.')
  })

  test('asks for a yes or no, and for several of some, until the answer fits', async () => {
    const sure = await run(['sure', 'perhaps', 'Yes'])
    expect(sure.out).toMatch(/\? Sure\?\n {2}\[y\/n\] › .*Please type y or n\./s)
    expect(sure.out).toContain('You said {"response":true}.')
    const chosen = await run(['choose', '1, Africa', '1, asia'])
    expect(chosen.out).toMatch(
      /\? Where\?\n {4}1\. Europe\n {4}2\. Asia\n {2}› .*Please type numbers from 1 to 2, with commas between them\./s,
    )
    expect(chosen.out).toContain('You said {"response":["eu","ap"]}.')
  })

  test('asks for each field of a form as it is meant, and leaves what may be left', async () => {
    expect((await run(['form', 'Ada', '36', '', 'maybe', 'y', '1, 2'])).out).toContain(
      'You said {"answers":{"name":"Ada","age":36,"sure":true,"tags":["a","b"]}}.',
    )
    expect((await run(['form', 'Ada', '', '2', 'n', ''])).out).toContain(
      'You said {"answers":{"name":"Ada","size":"l","sure":false}}.',
    )
  })

  test('without an answer it prints how to resume, and resumes there', async () => {
    const first = await run([], { message: 'approve' })
    expect([first.code, first.errors]).toEqual([
      1,
      'The agent waits for an answer. Go on with: amodal chat --resume sess_1\n',
    ])
    const { agent } = first
    const second = await run(['y'], { agent, options: { resume: 'latest' } })
    expect(second.out).toMatch(
      /Going on with "approve" \(sess_1\)[\s\S]*Allow it[\s\S]*You said {"approved":true}/,
    )
    const third = await run(['hello'], { agent, options: { resume: 'sess_1' } })
    expect(third.out).toContain('You said {"approved":true}.\n')
    expect(third.out).toContain('hello\n')
    expect(agent.sessions.size).toBe(1)
  })

  test('lists sessions, begins another one and goes on with one of before', async () => {
    const { out } = await run([
      'hello',
      '/new',
      'again',
      '/sessions',
      '/resume 1',
      '/session',
      '/resume 9',
      '/resume sess_none',
      '/resume',
      '/exit',
    ])
    expect(out).toMatch(
      /\(a new session begins[\s\S]*1\. hello \(sess_1\)\n[\s\S]*2\. again \(sess_\d+\), this one\n[\s\S]*Going on with "hello" \(sess_1\)[\s\S]*you › sess_1\n/,
    )
    expect(out).toMatch(/Which one\?[\s\S]*SESSION_NOT_FOUND: [\s\S]*Which one\?/)
  })

  test('a turn that fails says why', async () => {
    expect(await run([], { message: 'fail' })).toMatchObject({
      code: 1,
      out: '  ✗ MODEL_FAILED: the model said no\n',
    })
  })

  test('an unknown session and a server that is not there are errors with a code', async () => {
    expect(await run([], { message: 'x', options: { resume: 'sess_none' } })).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^SESSION_NOT_FOUND: /),
    })
    expect(await run([], { options: { resume: 'latest' } })).toMatchObject({
      code: 1,
      errors: 'there is no session to resume\n',
    })
    expect(await run([], { message: 'x', options: { url: 'http://127.0.0.1:1' } })).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^UNREACHABLE: /),
    })
  })

  test('talks to a server as it does to a folder', async () => {
    await using server = await served()
    const options = { url: server.url }
    expect((await run([], { message: 'hello there', options })).out).toBe('hello there\n')
    const { out, code } = await run(['question', 'blue', 'approve', 'y', '/clear'], { options })
    expect(out).toMatch(
      /You said {"response":"blue"}[\s\S]*You said {"approved":true}[\s\S]*\(forgotten\)/,
    )
    expect(code).toBe(0)
    expect((await run(['more'], { options: { ...options, resume: 'latest' } })).out).toMatch(
      /Going on with[\s\S]*more/,
    )
  })
})
