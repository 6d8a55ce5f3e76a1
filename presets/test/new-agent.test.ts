import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amodal, folder, pluginSource } from './support.ts'

const filesIn = async (dir: string): Promise<readonly string[]> =>
  (await readdir(dir, { recursive: true })).sort()
/** Kinds of files for which a new agent has schemas. */
const SCHEMAS = ['access', 'automation', 'connection', 'eval', 'manifest', 'store', 'tool']
const quiet = { env: { LOG_LEVEL: 'none' } }

describe('init', () => {
  test('makes a folder that loads without a problem and answers, named like the folder', async () => {
    await using here = await folder()
    const said = await amodal(['init', 'my-agent', '--dir', here.dir])
    expect(said).toMatchObject({ code: 0, err: '' })
    const dir = join(here.dir, 'my-agent')
    expect(await filesIn(dir)).toEqual([
      '.gitignore',
      '.vscode',
      '.vscode/amodal',
      ...SCHEMAS.map((name) => `.vscode/amodal/${name}.schema.json`),
      '.vscode/settings.json',
      'amodal.json',
      'automations',
      'connections',
      'evals',
      'knowledge',
      'knowledge/welcome.md',
      'skills',
      'skills/general.md',
    ])
    expect(said.out).toContain(`amodal dev --dir ${dir}`)
    expect(said.out).toContain('  .vscode/amodal/  (7 files)\n')
    expect(await amodal(['validate', '--dir', dir])).toEqual({
      code: 0,
      err: '',
      out: '✓ my-agent 0.1.0: 1 skill, 1 knowledge document, 0 stores (0 errors, 0 warnings)\n',
    })
    expect(
      (await amodal(['test-query', 'What is my-agent?', '-q', '--dir', dir], quiet)).out,
    ).toContain('my-agent is a new agent')
  })

  test('takes a name and a provider, and asks nothing', async () => {
    await using here = await folder()
    const said = await amodal(
      ['init', '--dir', here.dir, '--name', 'My Agent', '--provider', 'openai'],
      { lines: ['never read'], interactive: true },
    )
    expect(said.code).toBe(0)
    expect(said.out).not.toContain('[')
    expect(said.out).toContain('OPENAI_API_KEY=')
    expect(JSON.parse(await readFile(join(here.dir, 'amodal.json'), 'utf8'))).toEqual({
      name: 'My Agent',
      version: '0.1.0',
      models: { main: { provider: 'openai', model: expect.any(String) } },
    })
    // Its key is not set, which is no mistake of the files; with the key nothing is left to say.
    expect(await amodal(['validate', '--dir', here.dir])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /`models\.main` cannot be asked: .*OPENAI_API_KEY[^]*0 errors, 1 warning/,
      ),
    })
    expect(
      await amodal(['validate', '--dir', here.dir], { env: { OPENAI_API_KEY: 'k' } }),
    ).toMatchObject({ code: 0, out: expect.stringContaining('(0 errors, 0 warnings)') })
  })

  test('asks a person for what is not given, until the answer is one', async () => {
    await using here = await folder()
    const said = await amodal(['init', '--dir', here.dir], {
      interactive: true,
      lines: ['  Workshop ', '99', 'Google'],
      env: { GOOGLE_API_KEY: 'k' },
    })
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toMatch(
      /Name of the agent \[amodal-agent-\w+\]: [^]*1\. auto [^]*google +GOOGLE_API_KEY, which is set[^]*Please type a number/,
    )
    expect(JSON.parse(await readFile(join(here.dir, 'amodal.json'), 'utf8'))).toMatchObject({
      name: 'Workshop',
      models: { main: { provider: 'google' } },
    })
  })

  test('offers a workflow that runs the evals', async () => {
    const file = '.github/workflows/evals.yml'
    await using named = await folder()
    const init = ['init', '--dir', named.dir, '--name', 'A', '--provider', 'openai']
    expect(await amodal([...init, '--with', 'unknown'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no "unknown" to begin with \(there are: .*github-evals/),
    })
    expect(await filesIn(named.dir)).toEqual([])
    expect((await amodal([...init, '--with', 'github-evals'])).out).toContain(file)
    const workflow = await readFile(join(named.dir, file), 'utf8')
    expect(workflow).toContain('secrets.OPENAI_API_KEY }}')
    expect(workflow).toContain('npx amodal eval ${BASE:+--changed "$BASE"} --fail-on "$fail_on"')

    await using talked = await folder()
    const answered = await amodal(['init', '--dir', talked.dir], {
      interactive: true,
      lines: ['Workshop', 'openai', 'no', 'yes'],
    })
    expect(answered.out).toMatch(/GitHub Actions for each pull request\? \(y\/n\) \[n\]/)
    expect(answered.out).toMatch(/Complete and check its files in VS Code/)
    expect(await filesIn(talked.dir)).toContain(file)
    await using silent = await folder()
    await amodal(['init', '--dir', silent.dir], { interactive: true, lines: ['Workshop', '1'] })
    expect(await filesIn(silent.dir)).not.toContain(file)
  })

  test('writes a page with the widget, which the server serves', async () => {
    await using here = await folder()
    const init = ['init', '--dir', here.dir, '--name', 'A', '--with', 'widget']
    expect((await amodal(init)).out).toContain('widget.html')
    const snippet = '<script src="/widget.js" data-heading="Ask us" async></script>'
    expect(await readFile(join(here.dir, 'widget.html'), 'utf8')).toContain(snippet)
    expect(await amodal(['validate', '--dir', here.dir])).toMatchObject({
      code: 0,
      out: expect.stringContaining('(0 errors, 0 warnings)'),
    })
    const stop = new AbortController()
    const { promise: url, resolve } = Promise.withResolvers<string>()
    const ended = amodal(['dev', '--port', '0', '--dir', here.dir], {
      ...quiet,
      signal: stop.signal,
      onOutput(text) {
        const [, served] = /Health +→ (\S+)\/health/.exec(text) ?? []
        if (served !== undefined) resolve(served)
      },
    })
    try {
      const page = await fetch(`${await url}/widget.html`)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await page.text()).toContain(snippet)
      const script = await fetch(new URL('/widget.js', page.url))
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(await script.text()).toContain('amodal-chat')
    } finally {
      stop.abort('SIGINT')
    }
    expect(await ended).toMatchObject({ code: 0 })
  })

  test('writes nothing where the person leaves', async () => {
    await using here = await folder()
    expect(
      await amodal(['init', '--dir', here.dir], { interactive: true, lines: ['Workshop'] }),
    ).toMatchObject({ code: 130, err: 'Nothing was written.\n' })
    expect(await filesIn(here.dir)).toEqual([])
  })

  test('asks for a folder where it stands among other files', async () => {
    const said = await amodal(['init'], { interactive: true })
    expect(said).toMatchObject({
      code: 130,
      err: 'Nothing was written.\n',
      out: expect.stringContaining('This folder holds other files. Folder of the agent'),
    })
  })

  test('never writes over what is there', async () => {
    await using here = await folder({ 'skills/general.md': 'mine', '.gitignore': 'mine' })
    const first = await amodal(['init', '--dir', here.dir])
    expect(first.out).toMatch(/skills\/general\.md {2}\(was there, and is kept\)/)
    for (const file of ['skills/general.md', '.gitignore'])
      expect(await readFile(join(here.dir, file), 'utf8')).toBe('mine')
    await writeFile(join(here.dir, 'amodal.json'), '{ "name": "other" }')
    const before = await stat(here.dir)
    expect(await amodal(['init', '--dir', here.dir])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('There is an agent in'),
    })
    expect((await stat(here.dir)).mtimeMs).toBe(before.mtimeMs)
    expect(await readFile(join(here.dir, 'amodal.json'), 'utf8')).toBe('{ "name": "other" }')
    await using older = await folder({ '.amodal/config.json': { name: 'older' } })
    expect(await amodal(['init', '--dir', older.dir])).toMatchObject({
      code: 1,
      err: expect.stringContaining('.amodal/config.json'),
    })
  })

  test.each([
    [
      ['--provider', 'acme'],
      2,
      /there is no provider "acme" \(there are: auto, anthropic, openai, google, .*together\)/,
    ],
    [['--name', ' '], 2, /--name: an agent needs a name/],
    [['my', 'agent'], 2, /one folder is made, not 2/],
    [['file/below'], 1, /UNREADABLE: .*ENOTDIR/],
  ])('%j is refused', async (argv, code, message) => {
    await using here = await folder({ file: 'a file' })
    expect(
      await amodal(['init', ...argv, '--dir', here.dir], { interactive: true, lines: ['', ''] }),
    ).toMatchObject({ code, err: expect.stringMatching(message) })
    expect(await filesIn(here.dir)).toEqual(['file'])
  })
})

describe('build-manifest-types', () => {
  const stores = {
    'stores/repair-jobs.json': {
      description: 'Repairs in the workshop. One for each bicycle.',
      entity: {
        name: 'RepairJob',
        key: '{id}',
        schema: {
          id: { type: 'string' },
          status: { type: 'enum', values: ['waiting', 'done'] },
          price: { type: 'number', nullable: true },
          parts: {
            type: 'array',
            item: {
              type: 'object',
              fields: { 'part-no': { type: 'string' }, count: { type: 'number' } },
            },
          },
        },
      },
    },
    'skills/take-in.md': '# Take in\n\nHow.\n\nTrigger: A bicycle.\n\n## Steps\n\n1. Ask.\n',
  }

  test('writes what the files say, and tells later whether it still holds', async () => {
    await using here = await folder({ 'amodal.json': { name: 'workshop' }, ...stores })
    const run = (...argv: readonly string[]) =>
      amodal(['build-manifest-types', '--dir', here.dir, ...argv], quiet)
    expect(await run('--check')).toMatchObject({
      code: 1,
      err: expect.stringContaining('amodal.d.ts is missing'),
    })
    expect(await run()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^✓ amodal\.d\.ts: the types of 1 store and \d+ tools\n$/),
    })
    const text = await readFile(join(here.dir, 'amodal.d.ts'), 'utf8')
    expect(text).toContain(`/** Repairs in the workshop. */
export interface RepairJob {
  readonly id: string
  readonly status: "waiting" | "done"
  readonly price?: number | null
  readonly parts: readonly {
    readonly "part-no": string
    readonly count: number
  }[]
}`)
    expect(text).toContain('readonly "repair-jobs": RepairJob')
    expect(text).toMatch(
      /readonly query_store: \{\n {4}readonly store: "repair-jobs"\n {4}readonly key\?: string\n/,
    )
    expect(text).toContain('export type SkillName = "Take in"')
    // it can be read by who reads TypeScript
    expect(stripTypeScriptTypes(text)).not.toContain('interface')
    expect(await run('--check')).toMatchObject({ code: 0, out: '✓ amodal.d.ts is up to date\n' })
    await writeFile(
      join(here.dir, 'stores/bikes.json'),
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" } } } }',
    )
    expect(await run('--check')).toMatchObject({
      code: 1,
      err: expect.stringContaining('amodal.d.ts is not up to date'),
    })
    expect((await run('--out', '-')).out).toContain('readonly bikes: ')
  })

  test('refuses half a folder, and a place that cannot be written', async () => {
    await using here = await folder({
      'amodal.json': { name: 'workshop' },
      'stores/broken.json': '{',
    })
    expect(await amodal(['build-manifest-types', '--dir', here.dir], quiet)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('amodal validate'),
    })
    await using sound = await folder({ 'amodal.json': { name: 'workshop' } })
    expect(
      await amodal(
        ['build-manifest-types', '--dir', sound.dir, '--out', 'no/such/place.d.ts'],
        quiet,
      ),
    ).toMatchObject({ code: 1, err: expect.stringMatching(/^UNREADABLE: .*place\.d\.ts/) })
  })
})

describe('test-query', () => {
  test('shows the calls and the answer, leaves nothing behind, and works beside a server', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny' },
      'stores/offices.json': {
        description: 'Offices.',
        entity: {
          key: '{city}',
          schema: {
            city: { type: 'string' },
            status: { type: 'enum', values: ['open', 'closed'] },
          },
        },
      },
      'stores/offices.seed.json': [
        { city: 'Turin', status: 'open' },
        { city: 'Oslo', status: 'closed' },
      ],
    })
    let asked: Promise<readonly Awaited<ReturnType<typeof amodal>>[]> | undefined
    let kept: unknown
    await amodal(['dev', '--dir', here.dir, '--port', '0'], {
      ...quiet,
      onOutput: (out, stop) => {
        const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/health/.exec(out) ?? []
        if (url === undefined) return
        const ask = (...argv: readonly string[]) =>
          amodal(['test-query', 'Which offices are open?', '--dir', here.dir, ...argv], quiet)
        asked ??= (async () => {
          const answers = await Promise.all([ask(), ask('--json'), ask('--url', url, '--json')])
          kept = await (await fetch(`${url}/sessions`)).json()
          return answers
        })().finally(stop)
      },
    })
    const [plain, json, remote] = (await asked) ?? []
    expect(plain).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /→ query_store \{"store":"offices"[^]*Turin[^]*\(model_stop, 1 tool call, \d+ tokens\)\n$/,
      ),
    })
    for (const said of [json, remote]) {
      expect(said?.code).toBe(0)
      expect(JSON.parse(said?.out ?? '')).toMatchObject({
        response: expect.stringContaining('Turin'),
        reason: 'model_stop',
        tool_calls: [{ tool_name: 'query_store', status: 'success' }],
      })
    }
    // the one that the server was asked for
    expect(kept).toMatchObject({ sessions: [expect.anything()] })
  })

  test('says that it needs a question, and that nobody answers', async () => {
    await using here = await folder({
      'amodal.json': {
        name: 'tiny',
        models: {
          main: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' },
        },
        retries: 0,
      },
    })
    expect(await amodal(['test-query', '--dir', here.dir])).toMatchObject({
      code: 2,
      err: expect.stringContaining('say what to ask'),
    })
    expect(await amodal(['test-query', 'hello', '-q', '--dir', here.dir], quiet)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^[A-Z_]+: /),
    })
    expect(
      await amodal(['test-query', 'hello', '--url', 'http://127.0.0.1:9', '--dir', here.dir]),
    ).toMatchObject({ code: 1, err: expect.stringMatching(/^UNREACHABLE: /) })
  })
})

describe('help', () => {
  test('names the steps to a first agent, as they are typed here', async () => {
    await using here = await folder()
    const said = await amodal(['--dir', here.dir], { env: { npm_lifecycle_event: 'amodal' } })
    expect(said.out).toContain('  npm run amodal -- init my-agent ')
    expect(said.out).toMatch(/Exit codes: 0 .*1 .*2 .*130 /)
    const more = await amodal(['init', '--help', '--dir', here.dir], {
      env: { npm_lifecycle_event: 'amodal' },
    })
    expect(more.out).toMatch(
      /Usage: npm run amodal -- init[^]*Examples:\n {2}npm run amodal -- init my-agent +asks/,
    )
  })

  test('a command that is interrupted ends with 130', async () => {
    await using here = await folder({
      'amodal.json': { name: 'tiny', plugins: ['./wait.ts'] },
      'wait.ts': pluginSource(
        "add({ kind: 'registry', id: 'commands', key: Symbol.for('amodal.registry/commands') }, 'wait', { summary: 'Waits', usage: 'amodal wait', options: {}, run: ({ print, signal }) => new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); print('waiting') }) })",
      ),
    })
    expect(
      await amodal(['wait', '--dir', here.dir], { onOutput: (_, stop) => stop() }),
    ).toMatchObject({ code: 130, err: '' })
  })
})
