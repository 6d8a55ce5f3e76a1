import { createServer } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amodal, folder, freePort, pluginSource } from './support.ts'

const agent = { 'amodal.json': { name: 'tiny', userContext: 'You are tiny.' } }

describe('without a command', () => {
  test.each([[[]], [['help']], [['--help']], [['-h']], [['-v', '--help']]])(
    'amodal %j lists the commands',
    async (argv) => {
      await using here = await folder(agent)
      const said = await amodal([...argv, '--dir', here.dir])
      expect(said).toMatchObject({ code: 0, err: '' })
      for (const name of ['chat', 'dev', 'inspect', 'validate'])
        expect(said.out).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
    },
  )

  test('a folder that cannot be read has the standard commands', async () => {
    expect(await amodal(['help', '--dir', '/nowhere'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('validate'),
    })
  })

  test.each([[['--colour']], [['help', '--colour']], [['-x']]])(
    'amodal %j is refused',
    async (argv) => {
      expect(await amodal(argv)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^amodal: Unknown option '-/),
      })
    },
  )
})

describe('a folder with a guard that cannot be honoured', () => {
  const other = { ...agent, 'hooks/dry/hook.json': '{}' }
  test.each([[['validate']], [['dev', '--port', '0']], [['chat', 'hello']]])(
    'amodal %j fails and says so',
    async (argv) => {
      await using here = await folder(other)
      const { code, out, err } = await amodal([...argv, '--dir', here.dir])
      expect(code).toBe(1)
      expect(`${out}${err}`).toContain(
        'the agent is not started without its guards: hooks/dry:1  this guard has no index.mjs',
      )
    },
  )
})

describe('a command', () => {
  test.each([[['dev', '--help']], [['help', 'dev']], [['dev', '-h', '--port', '1']]])(
    'amodal %j says what it takes',
    async (argv) => {
      const said = await amodal(argv)
      expect(said.code).toBe(0)
      expect(said.out).toContain('Usage: amodal dev')
      expect(said.out).toContain('--port')
    },
  )

  test('may stand behind its options', async () => {
    await using here = await folder(agent)
    expect(await amodal(['--dir', here.dir, 'validate'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ tiny'),
    })
  })

  test.each([['frob'], ['constructor'], ['toString']])(
    'that does not exist is refused: %s',
    async (name) => {
      await using here = await folder(agent)
      expect(await amodal([name, '--dir', here.dir])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(
          new RegExp(
            `there is no command "${name}" \\(there are: add, agents, auth login, auth logout, build-manifest-types, chat, completion, (?:deploy \\w+, )+dev, docs, doctor, eval, eval promote, init, inspect, mcp, (?:ops \\w+, )+(?:pkg \\w+, )+(?:plugins \\w+, )+replay, schemas, start, test-query, tool-scaffold install, tool-scaffold new, trace, validate, worker\\)`,
          ),
        ),
      })
      expect(await amodal(['help', name])).toMatchObject({ code: 2 })
    },
  )

  test.each([
    [['auth', 'token'], 'there is no command "auth token"'],
    [['vaildate'], 'there is no command "vaildate"; did you mean `validate`? (there are: '],
    [['chta', 'hello'], 'there is no command "chta"; did you mean `chat`?'],
    [['help', 'isnpect'], 'there is no command "isnpect"; did you mean `inspect`?'],
    [['ops', 'audti'], 'there is no command "ops audti"; did you mean `ops audit`?'],
    [['opps', 'audit'], 'there is no command "opps"; did you mean `ops audit`?'],
    [['audit'], 'there is no command "audit"; did you mean `ops audit`?'],
    [['dev', '--prot', '4000'], "Unknown option '--prot'; did you mean '--port'?\n"],
    [['chat', '--resmue', 'latest'], "Unknown option '--resmue'; did you mean '--resume'?\n"],
    [['--hlep'], "Unknown option '--hlep'; did you mean '--help'?"],
  ])('amodal %j is told what was probably meant', async (argv, message) => {
    expect(await amodal(argv)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`amodal: ${message}`),
    })
  })

  test.each([
    [['validate', '--port', '1'], "'--port'", 'amodal validate ['],
    [['ops', 'audit', '--host', 'x'], "'--host'", 'amodal ops audit ['],
    // the value of an option is no second word of the command
    [['eval', '--file', 'promote', '--frob'], "'--frob'", 'amodal eval [--file'],
  ])('amodal %j: an option of other commands is refused', async (argv, option, usage) => {
    const { code, out, err } = await amodal(argv)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`Unknown option ${option}`)
    expect(err).toContain(`Usage: ${usage}`)
  })

  test.each([
    [['dev', '--colour'], "Unknown option '--colour'"],
    [['dev', '--port'], "'-p, --port <value>' argument missing"],
    [['dev', '--port', 'http'], '--port must be a number from 0 to 65535, not "http"'],
    [['dev', '--port', '65536'], '--port must be a number'],
    [['dev', '--port', '-1'], "Option '--port' argument is ambiguous"],
    [['dev', '--port', '1e3'], '--port must be a number'],
  ])('amodal %j is refused with its help', async (argv, message) => {
    const said = await amodal(argv)
    expect(said).toMatchObject({ code: 2, out: '' })
    expect(said.err).toContain(message)
    expect(said.err).toContain('Usage: amodal dev')
  })

  test('PORT counts, and is checked', async () => {
    expect(await amodal(['dev'], { env: { PORT: 'no' } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('PORT must be a number from 0 to 65535, not "no"'),
    })
  })

  test('comes from the plugins of the folder', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', plugins: ['./greet.ts'] },
      'greet.ts':
        pluginSource(`add({ kind: 'registry', id: 'commands', key: Symbol.for('amodal.registry/commands') }, 'ops greet', {
        summary: 'Greets', usage: 'amodal ops greet NAME [--loud]', options: { loud: { type: 'boolean', description: 'Loudly' } },
        async run({ arguments: [name], options, print }) { print(options.loud ? name.toUpperCase() : name); return 3 },
      })`),
    })
    expect(await amodal(['ops', 'greet', 'ann', '--loud', '--dir', here.dir])).toMatchObject({
      code: 3,
      out: 'ANN\n',
    })
  })

  test('that throws is told with its stack, and ends with 1', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', plugins: ['./bad.ts'] },
      'bad.ts': pluginSource(
        "add({ kind: 'registry', id: 'commands', key: Symbol.for('amodal.registry/commands') }, 'bad', { summary: 'Bad', usage: 'amodal bad', options: {}, run() { throw new TypeError('oh no') } })",
      ),
    })
    expect(await amodal(['bad', '--dir', here.dir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^amodal bad failed: TypeError: oh no\n {4}at /),
    })
  })
})

describe('dev', () => {
  const serve = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    amodal(['dev', '--port', '0', ...argv], {
      env,
      onOutput: (out, stop) => {
        if (out.includes('Runtime ready')) stop()
      },
    })

  test('says what it serves and where, and ends in good order', async () => {
    await using here = await folder({
      ...agent,
      'skills/hello.md': '# Skill: Hello\n\n## Methodology\n\n1. Say hello.\n',
      'knowledge/hours.md': '# Hours\n\nFrom nine to five.\n',
      'stores/notes.json': {
        name: 'notes',
        entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' } } },
      },
    })
    const { code, out, err } = await serve(['--dir', here.dir], { LOG_LEVEL: 'none' })
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('✓ tiny 0.0.0: 1 skill, 1 knowledge document, 1 store\n')
    expect(out).toMatch(/✓ Token budget: [\d,]+ \/ 200,000 \(\d\.\d%\)\n/)
    expect(out).toContain('✓ Stores: notes (stores-database, db-pglite)\n')
    expect(out).toMatch(/! Model: demo\/words\. .*OPENAI_API_KEY.*AMODAL_BASE_URL/)
    for (const path of ['/chat/stream', '/health', '/inspect/context', '/api/stores'])
      expect(out).toMatch(new RegExp(`→ http://127\\.0\\.0\\.1:\\d+${path}`))
    expect(out).toContain('Stopping')
  })

  test('says where a session goes on, and refuses one that is not there', async () => {
    await using here = await folder(agent)
    const at = ['--dir', here.dir]
    const early = await amodal(['dev', '--port', '0', ...at, '--resume', 'latest'], {
      env: { LOG_LEVEL: 'none' },
    })
    expect(early).toMatchObject({ code: 1, out: '' })
    expect(early.err).toContain('--resume latest: there is no session yet')
    const chat = ['chat', 'When does it open?', ...at, '--preset', 'dev']
    expect(await amodal(chat, { env: { LOG_LEVEL: 'none' } })).toMatchObject({ code: 0 })
    const latest = await serve([...at, '--resume', 'latest'], { LOG_LEVEL: 'none' })
    expect(latest).toMatchObject({ code: 0, err: '' })
    const [, id = ''] = /Goes on: "When does it open\?" \((\S+)\)/.exec(latest.out) ?? []
    expect(latest.out).toMatch(
      new RegExp(`Studio {3}→ http://127\\.0\\.0\\.1:\\d+/#/chat/${id}\\n`),
    )
    expect(latest.out).toContain(`--resume ${id}\n`)
    const named = await serve([...at, '--resume', id], { LOG_LEVEL: 'none' })
    expect(named.out).toContain(`(${id})`)
    for (const wrong of ['sess_000000000000000000000000', 'a b'])
      expect(
        await amodal(['dev', '--port', '0', ...at, '--resume', wrong], {
          env: { LOG_LEVEL: 'none' },
        }),
      ).toMatchObject({ code: 1, out: '' })
  })

  test('says nothing with -q, and takes the port of the environment', async () => {
    await using here = await folder(agent)
    const port = String(await freePort())
    const stop = new AbortController()
    const said = amodal(['dev', '-q', '--dir', here.dir], {
      env: { PORT: port },
      signal: stop.signal,
    })
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
    stop.abort()
    expect(await said).toEqual({ code: 0, out: '', err: '' })
  })

  test('names the problems of the files, and a key that is missing', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', models: { main: { provider: 'groq', model: 'llama' } } },
      'stores/broken.json': '{ "name": "broken"',
    })
    const { out, code } = await serve(['--dir', here.dir], { LOG_LEVEL: 'none' })
    expect(code).toBe(0)
    expect(out).toContain('✗ Model: groq/llama, but GROQ_API_KEY is not set')
    expect(out).toContain('✗ stores/broken.json:1  an object is not closed')
  })

  test('does not call a model ready whose provider does not exist', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', models: { main: { provider: 'opnai', model: 'gpt' } } },
    })
    const { out } = await serve(['--dir', here.dir], { LOG_LEVEL: 'none' })
    expect(out).toMatch(
      /✗ Model: opnai\/gpt, but there is no provider "opnai"\. There are: .*openai/,
    )
  })
})

describe('a start that fails says code, what, where and what to do', () => {
  const fails = async (
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const said = await amodal(['dev', '--port', '0', ...argv], {
      env: { LOG_LEVEL: 'none', ...env },
    })
    expect(said).toMatchObject({ code: 1, out: '' })
    expect(said.err).toMatch(/What to do: |fix: /)
    return said.err
  }

  test('the folder is missing', async () => {
    expect(await fails(['--dir', '/nowhere/at/all'])).toMatch(
      /^NOT_FOUND: the agent folder \/nowhere\/at\/all cannot be read .*--dir/,
    )
  })

  test('the folder is a file', async () => {
    await using here = await folder(agent)
    expect(await fails(['--dir', join(here.dir, 'amodal.json')])).toMatch(
      /is a file, and an agent is a folder; name the folder with --dir/,
    )
  })

  test('there is no amodal.json', async () => {
    await using here = await folder()
    expect(await fails(['--dir', here.dir])).toMatch(
      /^NOT_FOUND: there is no amodal\.json in .*; create it with/,
    )
  })

  test('amodal.json cannot be read', async () => {
    await using here = await folder()
    await mkdir(join(here.dir, 'amodal.json'))
    expect(await fails(['--dir', here.dir])).toMatch(/^UNREADABLE: .*amodal\.json cannot be read/)
  })

  test('the data cannot be kept where it should be', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', stores: { dataDir: 'data' } },
      data: 'a file',
    })
    expect(await fails(['--dir', here.dir])).toMatch(
      /^UNREADABLE: the database folder .*data cannot be used: .*\n.*the plugin db-pglite/,
    )
  })

  test('amodal.json is no JSON: line and column are named', async () => {
    await using here = await folder({
      'amodal.json': '{\n  "name": "tiny",\n  "preset" "dev"\n}\n',
    })
    expect(await fails(['--dir', here.dir])).toMatch(
      /^BAD_REPO: .*amodal\.json:3:12: a colon is missing after the name;/,
    )
  })

  test('a variable is not set', async () => {
    await using here = await folder({
      'amodal.json': {
        name: 'tiny',
        models: {
          main: {
            provider: 'openai-compatible',
            baseUrl: 'http://127.0.0.1:1/v1',
            model: 'm',
            apiKey: 'env:MY_KEY',
          },
        },
      },
    })
    expect(await fails(['--dir', here.dir])).toMatch(
      /^ENV_NOT_SET: .*\n.*amodal\.json:8 .*MY_KEY is not set/,
    )
  })

  test('the preset is unknown', async () => {
    await using here = await folder({
      'amodal.json': '{\n  "name": "tiny",\n  "preset": "prod"\n}',
    })
    expect(await fails(['--dir', here.dir])).toMatch(
      /amodal\.json:3 {2}there is no preset "prod" \(there are: embedded, dev, production\)/,
    )
    expect(await fails(['--dir', here.dir, '--preset', 'toString'])).toMatch(
      /there is no preset "toString"/,
    )
  })

  test('the port is in use', async () => {
    await using here = await folder(agent)
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    const said = await amodal(['dev', '--dir', here.dir], {
      env: { LOG_LEVEL: 'none', PORT: String(port) },
    })
    other.close()
    expect(said.code).toBe(1)
    expect(said.err).toMatch(
      new RegExp(
        `^PORT_IN_USE: port ${port} on 127\\.0\\.0\\.1 is in use: stop the other process, or choose another port with --port\\n.*the plugin http`,
      ),
    )
  })

  test('other machines could connect', async () => {
    await using here = await folder(agent)
    expect(await fails(['--dir', here.dir, '--host', '0.0.0.0'])).toMatch(
      /^NOT_LOOPBACK: 0\.0\.0\.0 can be reached from other machines/,
    )
  })

  test('a plugin throws in its setup', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', plugins: ['./bad.ts'] },
      'bad.ts': pluginSource("throw new Error('no coffee')"),
    })
    expect(await fails(['--dir', here.dir])).toMatch(
      /^PLUGIN_FAILED: no coffee\n {2}where: the plugin mine, in its setup/,
    )
  })

  test('a server holds the data: a second one says who', async () => {
    await using here = await folder(agent)
    let second: Awaited<ReturnType<typeof amodal>> | undefined
    let asked: Promise<void> | undefined
    const first = await amodal(['dev', '--dir', here.dir, '--port', '0'], {
      env: { LOG_LEVEL: 'none' },
      onOutput: (out, stop) => {
        if (!out.includes('Runtime ready')) return
        asked ??= (async () => {
          const begun = performance.now()
          second = await amodal(['dev', '--dir', here.dir, '--port', '0'], {
            env: { LOG_LEVEL: 'none' },
          })
          expect(performance.now() - begun).toBeLessThan(30_000)
          stop()
        })()
      },
    })
    await asked
    expect(first.code).toBe(0)
    expect(second).toMatchObject({ code: 1, out: '' })
    expect(second?.err).toMatch(
      /^DATABASE_LOCKED: the database folder .*store-data is in use by another server in this very process, since .*\n.*db-pglite.*\nWhat to do: stop the other server/,
    )
  })

  test('Postgres does not answer', async () => {
    await using here = await folder({
      'amodal.json': {
        name: 'tiny',
        stores: { backend: 'postgres', postgresUrl: 'env:DATABASE_URL' },
      },
    })
    const err = await fails(['--dir', here.dir], {
      DATABASE_URL: 'postgres://me:hunter2-secret@127.0.0.1:1/db',
    })
    expect(err).toMatch(
      /^DATABASE_UNAVAILABLE: the database at 127\.0\.0\.1:1\/db cannot be reached: .*ECONNREFUSED/,
    )
    expect(err).not.toContain('hunter2')
  })

  test('the time of sessions is no number', async () => {
    await using here = await folder(agent)
    expect(await fails(['--dir', here.dir], { AMODAL_SESSION_TTL: 'soon' })).toMatch(
      /AMODAL_SESSION_TTL must be a whole number of seconds \(0: never\), not "soon"/,
    )
  })
})

describe('validate runs whatever is broken', () => {
  test('and lists every issue with its line', async () => {
    await using here = await folder({
      'amodal.json': '{\n  "name": "tiny"\n  "limits": { "maxTurns": },\n}\n',
      'stores/notes.json': '{\n  "name": 7\n}',
    })
    const { code, out } = await amodal(['validate', '--dir', here.dir])
    expect(code).toBe(1)
    expect(out).toContain('amodal.json:2  a comma is missing')
    expect(out).toContain('amodal.json:3  a value is missing')
    expect(out).toMatch(/stores\/notes\.json:\d/)
  })

  test('and tells of plugins and settings that cannot be used, by their lines', async () => {
    await using here = await folder({
      'amodal.json':
        '{\n  "name": "tiny",\n  "plugins": [\n    "memroy",\n    "./gone.ts"\n  ]\n}\n',
    })
    const { code, out } = await amodal(['validate', '--dir', here.dir])
    expect(code).toBe(1)
    expect(out).toContain('amodal.json:4  "memroy" is no builtin plugin')
    expect(out).toMatch(/amodal\.json:5 {2}there is no file .*gone\.ts/)
    await writeFile(
      join(here.dir, 'amodal.json'),
      '{\n  "name": "tiny",\n  "runtime": {\n    "maxTurns": 0\n  }\n}\n',
    )
    expect((await amodal(['validate', '--dir', here.dir])).out).toContain(
      'amodal.json:4  `runtime.maxTurns`: Too small',
    )
    await writeFile(
      join(here.dir, 'amodal.json'),
      '{ "name": "tiny", "plugins": [{ "without": "session-archive" }] }',
    )
    expect((await amodal(['validate', '--dir', here.dir, '--json'])).out).toContain(
      '"code": "UNKNOWN_ENTRY"',
    )
  })

  test('and a sound folder passes', async () => {
    await using here = await folder(agent)
    expect(await amodal(['validate', '--dir', here.dir])).toEqual({
      code: 0,
      err: '',
      out: '✓ tiny 0.0.0: 0 skills, 0 knowledge documents, 0 stores (0 errors, 0 warnings)\n',
    })
  })
})

describe('chat', () => {
  test('answers one message and ends', async () => {
    await using here = await folder({
      ...agent,
      'knowledge/hours.md': '# Opening hours\n\nThe office opens at nine.\n',
    })
    const { code, out } = await amodal(
      ['chat', 'When does the office open?', '--dir', here.dir, '--preset', 'dev'],
      { env: { LOG_LEVEL: 'none' } },
    )
    expect(code).toBe(0)
    expect(out).toContain('Demo model')
    expect(out).toContain('opens at nine')
  })

  test('goes on line by line, beside itself and with a session of before', async () => {
    await using here = await folder(agent)
    const first = await amodal(['chat', '--dir', here.dir], {
      env: { LOG_LEVEL: 'none' },
      lines: ['hello', '/session', '/exit'],
    })
    expect(first.code).toBe(0)
    const [id] = /sess_\w+/.exec(first.out) ?? []
    const second = await amodal(['chat', '--resume', 'latest', '--dir', here.dir], {
      env: { LOG_LEVEL: 'none' },
      lines: ['/session'],
    })
    expect(second.code).toBe(0)
    expect(second.out).toContain(`Going on with "hello" (${id})`)
    expect(
      await amodal(['chat', '--resume', 'sess_unknown', '--dir', here.dir], {
        env: { LOG_LEVEL: 'none' },
      }),
    ).toMatchObject({ code: 1, err: expect.stringContaining('SESSION_NOT_FOUND') })
  })

  test('and inspect work beside a server', async () => {
    await using here = await folder(agent)
    const asked: string[] = []
    let once: Promise<void> | undefined
    await amodal(['dev', '--dir', here.dir, '--port', '0'], {
      env: { LOG_LEVEL: 'none' },
      onOutput: (out, stop) => {
        const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/health/.exec(out) ?? []
        if (url === undefined) return
        once ??= (async () => {
          const typed = await amodal(['chat', '--url', url], {
            lines: ['hello', '/session', '/clear', '/exit'],
          })
          asked.push(
            (await amodal(['chat', 'hello', '--url', url])).out,
            (await amodal(['inspect', '--dir', here.dir])).out,
            (await amodal(['chat', 'hello', '--dir', here.dir], { env: { LOG_LEVEL: 'none' } }))
              .err,
            typed.out,
          )
          stop()
        })()
      },
    })
    await once
    expect(asked[0]).toContain('Demo model')
    expect(asked[1]).toContain('Context Budget Breakdown')
    expect(asked[2]).toMatch(/^DATABASE_LOCKED/)
    expect(asked[3]).toMatch(/Demo model[^]*sess_\w+[^]*\(forgotten\)/)
  })

  test('says that nobody answers', async () => {
    expect(await amodal(['chat', 'hello', '--url', 'http://127.0.0.1:9'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('UNREACHABLE'),
    })
  })
})
