/** Metrics of runs, as Prometheus and an OTLP receiver get them from the server of a preset. */
import { readFile } from 'node:fs/promises'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { parsePrometheus, type Family, type Sample } from '../support/prometheus.ts'

const FILES = {
  'tools/lookup/tool.json': {
    description: 'Looks an order up.',
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
    readOnly: true,
  },
  'tools/lookup/handler.ts': 'export default (params) => ({ id: params.id })',
  'tools/fails/tool.json': {
    description: 'Fails.',
    parameters: { type: 'object', properties: {} },
  },
  'tools/fails/handler.ts': "export default () => { throw new Error('private words') }",
}

const script: Script = (request) => {
  const text = JSON.stringify(request.messages)
  if (request.messages.at(-1)?.role === 'tool') return reply.text('Done.')
  if (text.includes('fail please')) return reply.toolCalls({ name: 'fails', arguments: {} })
  if (text.includes('invent please'))
    return reply.toolCalls({ name: 'made_up_by_a_model', arguments: {} })
  if (text.includes('look please'))
    return reply.toolCalls({ name: 'lookup', arguments: { id: '7' } })
  return reply.text('Hello.')
}

const Dashboard = z.looseObject({
  panels: z.array(
    z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })) }),
  ),
})
const Alerts = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string().optional() }),
        }),
      ),
    }),
  ),
})

/** A file that people import into Grafana or Prometheus. */
const DASHBOARDS = '../../plugins/telemetry-otel/dashboards'
const shipped = (name: string): Promise<string> =>
  readFile(new URL(`${DASHBOARDS}/${name}`, import.meta.url), 'utf8')

/** Names of metrics and labels in an expression. */
const namesIn = (expr: string): readonly string[] =>
  expr.match(/\b(?:amodal|gen_ai|error)_[a-z_]+/g) ?? []

const open = (env: Record<string, string>): Promise<Door> =>
  openDoor({ script, files: FILES, env: { PATH: process.env['PATH'] ?? '', ...env } })
const PROMETHEUS = { OTEL_METRICS_EXPORTER: 'prometheus' }

async function read(door: Door): Promise<ReadonlyMap<string, Family>> {
  const response = await door.get('/metrics', { authorization: `Bearer ${door.token}` })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePrometheus(response.text)
}

function samples(
  families: ReadonlyMap<string, Family>,
  family: string,
  labels: Readonly<Record<string, string>> = {},
  name = family,
): readonly Sample[] {
  return (families.get(family)?.samples ?? []).filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
}
const total = (found: readonly Sample[]): number => found.reduce((sum, { value }) => sum + value, 0)

describe('GET /metrics', () => {
  test('has a turn with a tool, one with an error, and the verdicts of the guards', async () => {
    await using door = await open(PROMETHEUS)
    await door.say('look please')
    await door.say('fail please')
    await door.say('invent please')
    const families = await read(door)
    const count = (family: string, labels: Record<string, string> = {}): number =>
      total(samples(families, family, labels, `${family}_count`))

    expect(
      count('gen_ai_client_inference_duration_seconds', {
        gen_ai_operation_name: 'chat',
        gen_ai_provider_name: 'openai-compatible',
        gen_ai_request_model: 'scripted',
      }),
    ).toBe(6)
    expect(count('gen_ai_client_inference_time_to_first_chunk_seconds')).toBe(6)
    const tool = 'gen_ai_execute_tool_duration_seconds'
    expect(count(tool, { gen_ai_tool_name: 'lookup' })).toBe(1)
    const failed = samples(families, tool, { gen_ai_tool_name: 'fails' }, `${tool}_count`)
    expect(failed).toHaveLength(1)
    expect(failed[0]?.labels['error_type']).toMatch(/^[A-Z_]+$/)
    // A name that a model made up is no label.
    expect(count(tool, { gen_ai_tool_name: '_OTHER' })).toBe(1)
    expect(count('gen_ai_invoke_agent_duration_seconds', { gen_ai_agent_name: 'door' })).toBe(3)
    expect(count('gen_ai_invoke_agent_inference_calls')).toBe(3)
    const calls = samples(
      families,
      'gen_ai_invoke_agent_tool_calls',
      {},
      'gen_ai_invoke_agent_tool_calls_sum',
    )
    expect(total(calls)).toBe(3)
    expect(
      total(samples(families, 'gen_ai_client_inference_usage_output_tokens_total')),
    ).toBeGreaterThan(0)
    expect(total(samples(families, 'amodal_runs_total', { amodal_run_reason: 'model_stop' }))).toBe(
      3,
    )
    expect(
      total(samples(families, 'amodal_guard_verdicts_total', { amodal_guard_verdict: 'allow' })),
    ).toBeGreaterThanOrEqual(2)
    for (const gauge of ['sessions_owned', 'sessions_resident', 'runs_active', 'inbox_waiting'])
      expect(samples(families, `amodal_${gauge}`)).toHaveLength(1)
    expect(samples(families, 'target_info', { service_name: 'door' })).toHaveLength(1)
  })

  test('serves every metric and label that the dashboard and the alerts use', async () => {
    await using door = await open(PROMETHEUS)
    for (const words of ['look please', 'fail please']) await door.say(words)
    const served = new Set(
      [...(await read(door)).values()].flatMap((family) =>
        family.samples.flatMap(({ name, labels }) => [name, ...Object.keys(labels)]),
      ),
    )
    const dashboard = Dashboard.parse(JSON.parse(await shipped('amodal-dashboard.json')))
    const alerts = Alerts.parse(parse(await shipped('amodal-alerts.yml')))
    const expressions = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ]
    expect(expressions.length).toBeGreaterThan(25)
    for (const expr of expressions) expect(namesIn(expr), expr).not.toEqual([])
    const unknown = expressions.flatMap(namesIn).filter((name) => !served.has(name))
    expect(unknown).toEqual([])
  })

  test('has no tenant, session, principal, text or secret in its labels', async () => {
    await using door = await open(PROMETHEUS)
    const turn = await door.say('look please, private words')
    await door.say('fail please')
    const text = (await door.get('/metrics', { authorization: `Bearer ${door.token}` })).text
    for (const words of ['private words', textIn(turn.body, 'session_id'), 'sess_', 'local'])
      expect(text).not.toContain(words)
    const labels = [...parsePrometheus(text).values()].flatMap((family) =>
      family.samples.flatMap((sample) => Object.keys(sample.labels)),
    )
    expect(labels.filter((label) => /tenant|session|principal|conversation/.test(label))).toEqual(
      [],
    )
  })

  test('is for credentials of no single tenant that have its scope', async () => {
    await using door = await open({
      ...PROMETHEUS,
      ...keysOf({
        scraper: { scopes: ['metrics'] },
        talker: { scopes: ['chat'] },
        anna: { tenant: 'acme', scopes: ['metrics'] },
      }),
    })
    const statusFor = async (name: string): Promise<number> =>
      (await door.get('/metrics', as(name))).status
    expect(await statusFor('scraper')).toBe(200)
    expect(await statusFor('talker')).toBe(403)
    expect(await statusFor('anna')).toBe(403)
  })

  test('needs a credential where all requests do, and is not there unless it is set', async () => {
    const key = `amodal_${'k'.repeat(12)}_${'k'.repeat(43)}`
    await using door = await open({ ...PROMETHEUS, AMODAL_API_KEYS: key })
    expect((await door.get('/metrics', {})).status).toBe(401)
    await using without = await open({})
    const response = await without.get('/metrics', { authorization: `Bearer ${without.token}` })
    expect(response.status).toBe(404)
  })
})

test('an OTLP receiver gets the metrics in the interval that is set', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  })
  await door.say('look please')
  const names = (): readonly string[] => receiver.metrics.map(({ name }) => name)
  await expect.poll(names, { timeout: 20_000 }).toContain('gen_ai.execute_tool.duration')
  expect(names()).toContain('amodal.sessions.owned')
  expect(receiver.text).toContain('{"key":"service.name","value":{"stringValue":"door"}}')
  expect(receiver.text).toContain('/v1/metrics')
  expect(receiver.spans).toEqual([])
})

test('an earlier version of the conventions has its own names', async () => {
  await using door = await openDoor({
    script,
    manifest: { plugins: [['telemetry-otel', { semconv: '1.36' }]] },
    env: PROMETHEUS,
  })
  await door.say('hello')
  const families = await read(door)
  const tokens = samples(
    families,
    'gen_ai_client_token_usage',
    { gen_ai_token_type: 'output', gen_ai_system: 'openai-compatible' },
    'gen_ai_client_token_usage_count',
  )
  expect(total(tokens)).toBe(1)
  expect(families.has('gen_ai_client_operation_duration_seconds')).toBe(true)
  expect(families.has('gen_ai_invoke_agent_duration_seconds')).toBe(false)
})

test('a receiver that hangs fails no turn, and an interval that is wrong stops the start', async () => {
  await using hanging = await startOtlpReceiver(false)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url, OTEL_METRIC_EXPORT_INTERVAL: '100' }
  {
    await using door = await open({ ...env, OTEL_EXPORTER_OTLP_TIMEOUT: '500' })
    for (const _ of [1, 2, 3]) expect((await door.say('hello')).status).toBe(200)
    await expect.poll(() => door.log.join('\n'), { timeout: 20_000 }).toContain('metrics were lost')
  }
  await expect(open({ ...env, OTEL_METRIC_EXPORT_INTERVAL: 'soon' })).rejects.toThrow(
    /OTEL_METRIC_EXPORT_INTERVAL is "soon"/,
  )
})

test('a run that a person answers after a restart is resumed, and a wait is no part of it', async () => {
  await using door = await openDoor({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text('Done.')
        : reply.toolCalls({ name: 'pay', arguments: {} }),
    files: {
      'tools/pay/tool.json': {
        description: 'Pays.',
        confirm: true,
        parameters: { type: 'object', properties: {} },
      },
      'tools/pay/handler.ts': 'export default () => ({ paid: true })',
    },
    env: { PATH: process.env['PATH'] ?? '', ...PROMETHEUS },
  })
  const turn = await door.say('pay please')
  const [, id = ''] = /"id":"(ask_[^"]+)"/.exec(turn.text) ?? []
  const asked = await read(door)
  expect(total(samples(asked, 'amodal_runs_total'))).toBe(0)
  expect(
    total(samples(asked, 'amodal_guard_verdicts_total', { amodal_guard_verdict: 'confirm' })),
  ).toBe(1)
  await door.restart()
  const session = textIn(turn.body, 'session_id')
  expect((await door.answer({ session_id: session, id, approved: true })).status).toBe(200)
  await expect
    .poll(async () => total(samples(await read(door), 'amodal_runs_total')), { timeout: 20_000 })
    .toBe(1)
  expect(total(samples(await read(door), 'amodal_runs_resumed_total'))).toBe(1)
})
