import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  definePlugin,
  explain,
  failure,
  Kernel,
  Log,
  ok,
  PluginError,
  Secrets,
  use,
  type Entry,
  type Logger,
} from '@amodal/sdk'
import { logJson } from '../src/index.ts'

interface Told {
  readonly log: Logger
  readonly lines: () => readonly Readonly<Record<string, unknown>>[]
  readonly text: () => string
  readonly kernel: Kernel
}

async function told(
  config: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
  ...more: readonly Entry[]
): Promise<Told> {
  const written: string[] = []
  const made = await Kernel.create(
    [...more, use(logJson, { target: { write: (line: string) => written.push(line) }, ...config })],
    { env },
  )
  if (!made.ok) throw new Error(explain(made.error))
  onTestFinished(async () => {
    await made.value.close()
  })
  return {
    kernel: made.value,
    log: made.value.scope.get(Log),
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  }
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'amodal-log-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

describe('a line', () => {
  test('says level, time, plugin and event, then its facts', async () => {
    const { log, lines, text } = await told()
    log
      .child({ plugin: 'chat', session: 's1' })
      .info('session.opened', { ms: 4, tags: ['a'], none: undefined })
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        plugin: 'chat',
        event: 'session.opened',
        session: 's1',
        ms: 4,
        tags: ['a'],
      },
    ])
    expect(text()).toMatch(
      /^\{"level":"info","time":"[^"]+","plugin":"chat","event":"session.opened",/,
    )
    expect(text().endsWith('}\n')).toBe(true)
  })

  test('keeps its own names from facts of the same name', async () => {
    const { log, lines } = await told()
    log.info('odd', { level: 'high', time: 5, event: 'party' })
    expect(lines()[0]).toMatchObject({
      level: 'info',
      event: 'odd',
      level_: 'high',
      time_: 5,
      event_: 'party',
    })
  })

  test('tells an error with its code, its plugin and all its causes', async () => {
    const { log, lines } = await told()
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    log.error('plugin.failed', {
      error: new PluginError('chat', 'boot', 'onBoot', cause),
      failure: failure('STORE_FAILED', 'broke', { cause }),
    })
    expect(lines()[0]).toMatchObject({
      error: {
        name: 'PluginError',
        code: 'PLUGIN_FAILED',
        plugin: 'chat',
        message: expect.stringContaining('refused') as string,
        stack: expect.any(String) as string,
        cause: { code: 'ECONNREFUSED', message: 'refused' },
      },
      failure: { code: 'STORE_FAILED', message: 'broke', cause: { message: 'refused' } },
    })
  })

  test('takes whatever it is given', async () => {
    const { log, lines } = await told()
    const circle: Record<string, unknown> = { name: 'circle' }
    circle['self'] = circle
    let deep: unknown = 'bottom'
    for (let n = 0; n < 20; n++) deep = { deep }
    const angry = Object.defineProperty({}, 'boom', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    log.warn('anything', {
      circle,
      deep,
      angry,
      big: 12n,
      when: new Date(0),
      bad: new Date(NaN),
      bytes: new Uint8Array(3),
      map: new Map([['a', 1]]),
      set: new Set([1]),
      fn: () => 1,
      symbol: Symbol('s'),
      nothing: null,
      nan: NaN,
      url: new URL('http://a/b'),
      many: Array.from({ length: 500 }, (_, n) => n),
    })
    expect(lines()[0]).toMatchObject({
      circle: { name: 'circle', self: '[circular]' },
      angry: '[unreadable]',
      big: '12',
      when: '1970-01-01T00:00:00.000Z',
      bad: 'Invalid Date',
      bytes: '[3 bytes]',
      map: { a: 1 },
      set: [1],
      symbol: 'Symbol(s)',
      nothing: null,
      url: 'http://a/b',
    })
    expect(JSON.stringify(lines()[0])).toContain('[deeper]')
    expect((lines()[0]?.['many'] as unknown[]).at(-1)).toBe('… 400 more')
  })

  test('is never longer than somebody reads, and still names its event', async () => {
    const { log, lines, text } = await told()
    log.info('long', { one: 'x'.repeat(1_000_000) })
    log.info(
      'very.long',
      Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, 'ü'.repeat(8_000)])),
    )
    for (const line of text().split('\n'))
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(32 * 1024)
    expect(lines()[0]).toMatchObject({
      event: 'long',
      one: expect.stringMatching(/x… 991808 more characters$/) as string,
    })
    expect(lines()[1]).toMatchObject({
      event: 'very.long',
      level: 'info',
      cut: expect.any(Number) as number,
      start: expect.stringContaining('f0') as string,
    })
  })
})

describe('what is never written', () => {
  const secrets = use(
    definePlugin({
      name: 'plain-secrets',
      version: '1.0.0',
      provides: [Secrets],
      setup: ({ provide }) =>
        provide(Secrets, () => ({
          get: () => undefined,
          resolve: (text) => ok(text),
          load: () => [],
          values: () => [],
          protect: () => () => undefined,
          mask: (text) => text.replaceAll('hunter2', '[MASKED]').replaceAll('424242', '[MASKED]'),
        })),
    }),
  )

  test("is what stands under a secret's name, at any depth", async () => {
    const { log, lines } = await told()
    log.info('request', {
      headers: { Authorization: 'Bearer abc', cookie: 'a=b', accept: '*/*' },
      body: [{ apiKey: 'k', client_secret: 's', max_tokens: 5 }],
      password: null,
    })
    expect(lines()[0]).toMatchObject({
      headers: { Authorization: '[REDACTED]', cookie: '[REDACTED]', accept: '*/*' },
      body: [{ apiKey: '[REDACTED]', client_secret: '[REDACTED]', max_tokens: 5 }],
      password: null,
    })
  })

  test('is the value of a secret, wherever it stands: facts, names, numbers, errors, bound facts, the event itself', async () => {
    const { log, text, lines } = await told({}, {}, secrets)
    log.child({ who: 'hunter2' }).error('saw hunter2', {
      said: 'it is hunter2!',
      n: 424242,
      hunter2: 1,
      error: new Error('bad hunter2', { cause: 'hunter2' }),
      list: ['hunter2'],
    })
    expect(text()).not.toContain('hunter2')
    expect(text()).not.toContain('424242')
    expect(lines()[0]).toMatchObject({
      event: 'saw [MASKED]',
      who: '[MASKED]',
      said: 'it is [MASKED]!',
      n: '[MASKED]',
      '[MASKED]': 1,
    })
  })

  test('is half of a secret, where a long text is cut in its middle', async () => {
    const { log, text } = await told({}, {}, secrets)
    log.info('long', { one: `${'x'.repeat(8_188)}hunter2` })
    expect(text()).not.toContain('hunt')
  })
})

describe('the level', () => {
  const all = (log: Logger): void =>
    (['trace', 'debug', 'info', 'warn', 'error'] as const).forEach((level) => log[level](level))

  test.each([
    ['trace', ['trace', 'debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['error', ['error']],
    ['fatal', []],
    ['none', []],
  ])('%s writes %j', async (level, written) => {
    const { log, lines } = await told({ level })
    all(log)
    expect(lines().map(({ event }) => event)).toEqual(written)
  })

  test('of LOG_LEVEL wins over the configured one, in any case', async () => {
    const { log, lines } = await told({ level: 'error' }, { LOG_LEVEL: 'Debug' })
    all(log)
    expect(lines().map(({ event }) => event)).toEqual(['debug', 'info', 'warn', 'error'])
  })

  test('that is none is refused with those there are', async () => {
    const made = await Kernel.create([use(logJson)], { env: { LOG_LEVEL: 'loud' } })
    expect(made.ok ? '' : explain(made.error)).toMatch(/BAD_CONFIG.*log-json[^]*trace/)
  })

  test('costs nothing where it is off: facts are not looked at', async () => {
    const { log } = await told({ level: 'warn' })
    log.debug(
      'quiet',
      Object.defineProperty({}, 'looked', {
        enumerable: true,
        get: () => {
          throw new Error('looked at')
        },
      }),
    )
  })
})

describe('the target', () => {
  test('may be a file, private to its owner, whole when the kernel has closed', async () => {
    const file = join(await folder(), 'agent.log')
    const { log, kernel } = await told({ target: { file } })
    for (let n = 0; n < 500; n++) log.info('line', { n })
    await kernel.close()
    log.info('late')
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(500)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ n: 499 })
  })

  test('that cannot be written stops the start and is named', async () => {
    const file = join(await folder(), 'no', 'such', 'folder.log')
    const made = await Kernel.create([use(logJson, { target: { file } })])
    expect(made.ok ? '' : explain(made.error)).toContain(file)
  })

  test('of the process is its standard error, and an error is out before the process dies', async () => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('fixtures/die.ts', import.meta.url))],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
    expect(out).toBe('')
    // Lines that were on their way may follow it.
    const errors = err.split('\n').filter((line) => line.includes('about.to.die'))
    expect(errors.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'about.to.die' }),
    )
  })
})

test('pretty is for a person: time, level, event, plugin, facts, and stacks below', async () => {
  const { log, text } = await told({ format: 'pretty' })
  log
    .child({ plugin: 'chat' })
    .info('session.opened', { session: 's1', ms: 4, title: 'Two words', list: [1, 2] })
  log.error('broke', { error: new Error('outer', { cause: new Error('inner') }) })
  const [first, ...rest] = text().split('\n')
  expect(first).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} {2}INFO {3}session\.opened {2}chat {2}session=s1 {2}ms=4 {2}title="Two words" {2}list=\[1,2\]$/,
  )
  expect(rest.join('\n')).toMatch(
    /ERROR {2}broke\n {4}error: Error: outer\n {8}at [^]*caused by Error: inner/,
  )
})
