import { Database, Log, unwrap, use, definePlugin, type JsonObject, type Logger } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { code, project, serving, type Serving } from './support/serving.ts'

const messageOf = ({ message }: { readonly message: string }): string => message

/** A server with a published tool. */
async function published(
  body: string,
  more: JsonObject = {},
  options: Parameters<typeof serving>[0] = {},
): Promise<{ readonly server: Serving; readonly id: string }> {
  const server = await serving(options)
  const id = await server.tool('check_order')
  server.repo.commit('acme', 'main', project('check_order', code(body), more))
  const version = await server.publish(id)
  if (version.status !== 201) throw new Error(version.text)
  return { server, id }
}

describe('an invocation', () => {
  test('has an output or an error of its own for each input', async () => {
    const { server, id } = await published(
      `if (tool_input.order === 13) throw new Error('no order 13')
       return { order: tool_input.order, metadata, user_variables }`,
    )
    const [first, second, third] = await server.invoke(
      id,
      '1.0.0',
      { order: 1 },
      { order: 13 },
      { order: 'x' },
    )
    expect(first).toEqual({
      invocation_id: expect.stringMatching(/^inv_/) as string,
      output: {
        order: 1,
        metadata: {
          invocation_mode: 'regular',
          invocation_id: first?.invocation_id,
          tool_id: id,
          tool_name: 'check_order',
          version: '1.0.0',
        },
        user_variables: {},
      },
      error: null,
      duration_ms: expect.any(Number) as number,
    })
    expect(second).toMatchObject({
      output: null,
      error: {
        code: 'TOOL_FAILED',
        message: expect.stringContaining('no order 13') as string,
        stack_trace: expect.stringContaining('tool.ts:2') as string,
      },
    })
    expect(third?.error.code).toBe('TOOL_ARGUMENTS')
  })

  test('of ten inputs runs them at the same time', async () => {
    const { server, id } = await published(
      `await new Promise((resolve) => setTimeout(resolve, 500)); return Date.now()`,
    )
    await server.invoke(id, '1.0.0', ...orders(8))
    const ends = (await server.invoke(id, '1.0.0', ...orders(8))).map(({ output }) =>
      Number(output),
    )
    // one after the other, the last would end 3.5 s after the first
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(2_500)
    expect((await server.invoke(id, '1.0.0', ...orders(10))).length).toBe(10)
    const eleven = await server.post(`/${id}/version/1.0.0/invoke`, {
      inputs: orders(11).map((input) => ({ input_parameters: input, invocation_mode: 'regular' })),
    })
    expect(eleven.status).toBe(400)
    expect((await server.post(`/${id}/version/1.0.0/invoke`, { inputs: [] })).status).toBe(400)
  })

  test('has 20,000 characters of output at most, which fit its schema', async () => {
    const output = { type: 'string', pattern: '^a*$' }
    const { server, id } = await published(
      `return 'a'.repeat(tool_input.order) + (tool_input.order === 3 ? 'b' : '')`,
      { output },
    )
    const [fits, large, wrong] = await server.invoke(
      id,
      '1.0.0',
      { order: 20_000 },
      { order: 20_001 },
      { order: 3 },
    )
    expect(fits?.output).toBe('a'.repeat(20_000))
    expect(large?.error).toMatchObject({
      code: 'TOOL_OUTPUT_TOO_LARGE',
      message: expect.stringContaining('20001 characters') as string,
    })
    expect(wrong?.error.code).toBe('TOOL_OUTPUT_INVALID')
  })

  test('that takes too long is stopped', async () => {
    const { server, id } = await published(
      'if (tool_input.order === 1) for (;;); return 1',
      {},
      { config: { timeoutMs: 3_000 } },
    )
    const [endless] = await server.invoke(id, '1.0.0', { order: 1 })
    expect(endless?.error.code).toBe('TOOL_FAILED')
    expect((await server.invoke(id, '1.0.0', { order: 2 }))[0]?.output).toBe(1)
  })

  test('of a version that is not there, or deprecated, is refused', async () => {
    const { server, id } = await published('return 1')
    const invoke = (version: string, tool = id) =>
      server.post(`/${tool}/version/${version}/invoke`, {
        inputs: [{ input_parameters: { order: 1 }, invocation_mode: 'regular' }],
      })
    for (const version of ['1.0.1', 'v1', '1', '%3E=1'])
      expect(await invoke(version)).toMatchObject({
        status: 404,
        body: { error: { code: 'VERSION_NOT_FOUND' } },
      })
    expect(await invoke('1.0.0', 'none')).toMatchObject({
      status: 404,
      body: { error: { code: 'ORG_TOOL_NOT_FOUND' } },
    })
    await server.remove(`/${id}/version/1.0.0`)
    expect(await invoke('1.0.0')).toMatchObject({
      status: 410,
      body: { error: { code: 'VERSION_DEPRECATED' } },
    })
    await server.remove(`/${id}`)
    expect(await invoke('1.0.0')).toMatchObject({
      status: 410,
      body: { error: { code: 'ORG_TOOL_DEPRECATED' } },
    })
  })

  test('goes on to its end where the version is deprecated meanwhile', async () => {
    const { server, id } = await published(
      `await new Promise((resolve) => setTimeout(resolve, 2_000)); return 'done'`,
    )
    const running = server.invoke(id, '1.0.0', { order: 1 })
    const isRunning = async () => {
      const { body } = await server.get('/invocation')
      return (body['invocations'] as unknown as readonly JsonObject[])[0]?.['succeeded'] === null
    }
    while (!(await isRunning()));
    expect((await server.remove(`/${id}/version/1.0.0`)).status).toBe(204)
    expect((await running)[0]?.output).toBe('done')
  })

  test('runs the code of its version, whatever the branch has now', async () => {
    const { server, id } = await published('return 1')
    server.repo.commit('acme', 'main', project('check_order', code('return 2')))
    await server.publish(id)
    expect((await server.invoke(id, '1.0.0', { order: 1 }))[0]?.output).toBe(1)
    expect((await server.invoke(id, '1.0.1', { order: 1 }))[0]?.output).toBe(2)
  })
})

const orders = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, order) => ({ order }))

test('a damaged archive is not run', async () => {
  const { server, id } = await published('return 1')
  const limit = AbortSignal.timeout(10_000)
  const database = server.kernel.scope.get(Database)
  const sql = `update tools_versions_archive set hash = 'f' || hash, bytes = '\\x00'`
  unwrap(await database.run({ sql, parameters: [] }, limit), messageOf)
  const rename = `update tools_versions_version set archive = 'f' || archive`
  unwrap(await database.run({ sql: rename, parameters: [] }, limit), messageOf)
  const invoked = await server.post(`/${id}/version/1.0.0/invoke`, {
    inputs: [{ input_parameters: { order: 1 }, invocation_mode: 'regular' }],
  })
  expect(invoked).toMatchObject({ status: 503, body: { error: { code: 'STORE_FAILED' } } })
})

test('secrets are in no answer, history, table or log', async () => {
  const canary = 'canary"4711/x'
  const lines: string[] = []
  const server = await serving({ plugins: [use(memoryLog(lines))] })
  const id = await server.tool('check_order')
  await server.post(`/${id}/envvar`, { name: 'API_KEY', value: canary, secret: true })
  await server.post(`/${id}/envvar`, { name: 'PIN', value: '99887766', secret: true })
  const body = `const key = config.API_KEY
    await send_status_event({ key })
    if (tool_input.order === 2) throw new Error('refused ' + key)
    if (tool_input.order === 3) throw { message: encodeURIComponent(key) }
    return { key, [key]: 1, nested: ['Bearer ' + Buffer.from(key).toString('base64')], pin: Number(config.PIN), url: 'https://x/?k=' + encodeURIComponent(key), plain: 'fine' }`
  server.repo.commit('acme', 'main', project('check_order', code(body)))
  const published = await server.publish(id)
  const invoked = await server.post(`/${id}/version/1.0.0/invoke`, {
    inputs: [1, 2, 3].map((order) => ({
      input_parameters: { order },
      invocation_mode: 'regular',
    })),
  })
  expect(invoked.body['results']).toMatchObject([
    { output: { key: '[REDACTED]', pin: '[REDACTED]', plain: 'fine' } },
    { error: { message: expect.stringContaining('refused [REDACTED]') as string } },
    {},
  ])
  const history = await server.get('/invocation')
  const database = server.kernel.scope.get(Database)
  const tables = await Promise.all(
    ['tool', 'variable', 'version', 'invocation', 'archive'].map(async (name) =>
      JSON.stringify(
        unwrap(
          await database.run(
            { sql: `select t::text from tools_versions_${name} t`, parameters: [] },
            AbortSignal.timeout(10_000),
          ),
          messageOf,
        ),
      ),
    ),
  )
  const everything = [published.text, invoked.text, history.text, ...tables, ...lines].join('\n')
  for (const form of [
    'canary',
    '4711',
    '99887766',
    Buffer.from(canary).toString('base64'),
    encodeURIComponent(canary),
  ])
    expect(everything).not.toContain(form)
})

function memoryLog(lines: string[]) {
  const add = (event: string, data?: object) => void lines.push(JSON.stringify([event, data]))
  const logger: Logger = {
    trace: add,
    debug: add,
    info: add,
    warn: add,
    error: add,
    child: () => logger,
  }
  return definePlugin({
    name: 'memory-log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => {
      provide(Log, () => logger)
    },
  })
}
