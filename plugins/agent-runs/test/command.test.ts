import { Commands, defineTool, silentLogger, type CommandContext } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { keyOf, serving, type Serving } from './support/serving.ts'

/** A tool with an effect that a person has to approve. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  readOnly: false,
  tier: 'confirm',
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => Promise.resolve({ status: 'success', output: { paid: amount } }),
})

/** Runs `amodal agents` as the command line would: on a server, or in the kernel of the agent. */
async function agents(
  server: Serving,
  args: readonly string[],
  options: CommandContext['options'] = {},
) {
  const lines: string[] = []
  const errors: string[] = []
  const command = server.kernel.current().registry(Commands).get('agents')
  const code = await command?.run({
    options,
    arguments: [...args],
    dir: '/',
    env: { AMODAL_CREDENTIAL: keyOf('acme') },
    log: silentLogger,
    start: () => Promise.resolve(server.kernel),
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

test.each([true, false])(
  'a run is started, followed, answered and listed (server: %s)',
  async (isRemote) => {
    const server = await serving({
      script: reply.toolsThenText({ name: 'pay', arguments: { amount: 7 } }, 'Paid it.'),
      tools: [pay],
    })
    const at = isRemote ? { url: server.url } : { scope: 'acme' }
    const begun = await agents(server, ['run', 'Pay the bill'], { ...at, key: 'bill-7' })
    expect(begun).toMatchObject({ code: 3, errors: [] })
    expect(begun.text).toMatch(/^Session sess_\w+\n/)
    expect(begun.text).toMatch(/\d\d:\d\d:\d\d {2}waits for a person: approval\n/)
    const [, id = ''] =
      /Answer it: amodal agents resume (sess_\w+) --approve/.exec(begun.text) ?? []

    // the same key with the same task is the same run
    const repeated = await agents(server, ['run', 'Pay the bill'], { ...at, key: 'bill-7' })
    expect(repeated.text).toContain(`Session ${id}\n`)
    expect(await agents(server, ['run', 'Pay another'], { ...at, key: 'bill-7' })).toMatchObject({
      code: 1,
      errors: [expect.stringMatching(/RUN_CONFLICT/)],
    })

    const done = await agents(server, ['resume', id], { ...at, approve: true })
    expect(done).toMatchObject({ code: 0, errors: [] })
    expect(done.text).toMatch(/ → pay .*7/)
    expect(done.text).toMatch(/\ncomplete {2}sess_\w+ {2}agent, 2 turns\nPaid it\.$/)
    expect(await agents(server, ['resume', id], { ...at, approve: true })).toMatchObject({
      code: 1,
      errors: [expect.stringMatching(/^invalid_state: /)],
    })

    expect((await agents(server, ['list'], at)).text).toMatch(/sess_\w+ {2}complete +agent$/)
    expect((await agents(server, ['profiles'], at)).text).toMatch(/^agent /)
    const json = JSON.parse(
      (await agents(server, ['status', id], { ...at, json: true })).text,
    ) as object
    expect(json).toMatchObject({ status: 'complete', result_summary: 'Paid it.' })
  },
)

test('a run of a server goes on without the command, and is cancelled', async () => {
  const server = await serving({
    script: reply.toolsThenText({ name: 'pay', arguments: { amount: 7 } }, 'Paid it.'),
    tools: [pay],
  })
  const at = { url: server.url }
  const { code, text: id } = await agents(server, ['run', 'Pay'], { ...at, detach: true })
  expect([code, id]).toEqual([0, expect.stringMatching(/^sess_\w+$/)])
  await server.until(id, 'awaiting_input')
  expect(await agents(server, ['cancel', id], { ...at, reason: 'not needed' })).toEqual({
    code: 0,
    text: `Canceled ${id}`,
    errors: [],
  })
  expect(await agents(server, ['status', id], at)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^canceled .*\nReason: not needed$/),
  })
})

test.each<readonly [args: readonly string[], options: CommandContext['options'], error: RegExp]>([
  [['walk'], {}, /^there is no "walk"; there are: run, status, list, resume, cancel, profiles$/],
  [['run'], {}, /^say which: amodal agents run TASK$/],
  [['run', 'Go'], { detach: true }, /^--detach needs --url/],
  [['run', 'Go'], { params: '[1]' }, /^--params is no JSON object: \[1\]$/],
  [['resume', 'sess_1'], {}, /^answer with one of --approve, --decline and --input JSON$/],
  [['resume', 'sess_1'], { input: '{' }, /^--input is no JSON object: \{$/],
])('%j %j is refused with what is missing', async (args, options, error) => {
  const server = await serving({ script: reply.text('Hello.') })
  const refused = await agents(server, args, { scope: 'acme', ...options })
  expect(refused).toMatchObject({ code: 2, text: '', errors: [expect.stringMatching(error)] })
})

test('an unknown run, and a profile that is not there, are told as the routes do', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  const at = { scope: 'acme' }
  expect(await agents(server, ['status', 'sess_none'], at)).toMatchObject({
    code: 1,
    errors: ['not_found: there is no such session'],
  })
  const unknown = await agents(server, ['run', 'Go'], { ...at, profile: 'nobody' })
  expect(unknown).toMatchObject({ code: 1, errors: [expect.stringMatching(/nobody/)] })
})
