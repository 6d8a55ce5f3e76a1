import { describe, expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const document = {
  openapi: '3.0.0',
  info: { title: 'CRM', version: '1' },
  paths: {
    '/invoices': {
      get: {
        operationId: 'listInvoices',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: { 200: { description: 'All of them' } },
      },
    },
    '/invoices/{id}': { get: { responses: { 200: { description: 'One' } } } },
  },
  components: {
    schemas: {
      Invoice: {
        type: 'object',
        properties: { id: { type: 'string' }, iban: { type: 'string' } },
      },
    },
  },
}

const agent = (access: object, more: Readonly<Record<string, string | object>> = {}) => ({
  'amodal.json': { name: 'office', plugins: [['roles', { defaultRole: 'accountant' }]] },
  'connections/crm/spec.json': { baseUrl: 'http://127.0.0.1:9/v1' },
  'connections/crm/openapi.json': document,
  'connections/crm/access.json': access,
  'roles/accountant.json': { tools: ['request', 'late_fee'] },
  'tools/late_fee/tool.json': {
    name: 'late_fee',
    description: 'The late fee of an invoice',
    parameters: { type: 'object', properties: {} },
  },
  'tools/late_fee/handler.ts': 'export default () => Promise.resolve({ fee: 1 })',
  ...more,
})

async function warnings(
  files: Readonly<Record<string, string | object>>,
): Promise<readonly string[]> {
  await using here = await folder(files)
  const { out } = await amodal(['validate', '--skip-test', '--json', '--dir', here.dir])
  const { issues } = JSON.parse(out) as {
    readonly issues: readonly {
      readonly file?: string
      readonly line?: number
      readonly message: string
      readonly fix?: string
    }[]
  }
  return issues.map(({ file, fix, line, message }) => `${file}:${line} ${message} — ${fix}`)
}

describe('validate holds files against each other', () => {
  test('an agent without a mistake has no warning', async () => {
    const access = {
      endpoints: {
        'GET /invoices': {
          returns: ['Invoice'],
          thresholds: [{ field: 'query.limit', above: 100, escalate: 'confirm' }],
        },
        'GET /v1/invoices/{id}': 'allow',
        'GET /invoices/42': 'confirm',
        'DELETE /admin/**': 'never',
        '* /**': 'confirm',
      },
      fieldRestrictions: [
        // A role of an identity provider, which has no file.
        { entity: 'Invoice', field: 'iban', policy: 'role_gated', allowedRoles: ['cfo@idp'] },
      ],
      rowScoping: {
        Invoice: { id: { type: 'field_match', userContextField: 'region' } },
      },
    }
    expect(await warnings(agent(access))).toEqual([])
  })

  test.each<readonly [string, object, string]>([
    [
      'an endpoint',
      { endpoints: { 'GET /invoces': 'allow' } },
      'access.json:3 the API document of "crm" (connections/crm/openapi.json) has no `GET /invoces`; did you mean `GET /invoices`? — write "GET /invoices"',
    ],
    [
      'an endpoint in small letters',
      { endpoints: { 'GET /invoices': 'allow', 'get /invoces': 'allow' } },
      'access.json:4 the API document of "crm" (connections/crm/openapi.json) has no `GET /invoces`; did you mean `GET /invoices`? — write "GET /invoices"',
    ],
    [
      'an endpoint that is near to none',
      { endpoints: { 'GET /payments': 'allow' } },
      'has no `GET /payments` — correct the rule, or remove it',
    ],
    [
      'a field',
      { fieldRestrictions: [{ entity: 'Invoice', field: 'ibann', policy: 'never_retrieve' }] },
      'has no field "ibann" in "Invoice"; did you mean "iban"? — write "iban"',
    ],
    [
      'an entity',
      { endpoints: { 'GET /invoices': { returns: ['Invoise'] } } },
      'has no entity "Invoise"; did you mean "Invoice"? — write "Invoice"',
    ],
    [
      'a parameter of a threshold',
      {
        endpoints: {
          'GET /invoices': {
            thresholds: [{ field: 'query.limt', above: 1, escalate: 'confirm' }],
          },
        },
      },
      '`GET /invoices` has no query parameter "limt"; did you mean "limit"? — write "limit"',
    ],
    [
      'a value of the caller',
      { rowScoping: { Invoice: { id: { type: 'field_match', userContextField: 'tenat' } } } },
      'the server knows no "tenat" of a caller; did you mean "tenant"? — write "tenant"',
    ],
    [
      'a role',
      {
        fieldRestrictions: [
          { entity: 'Invoice', field: 'iban', policy: 'role_gated', allowedRoles: ['acountant'] },
        ],
      },
      'there is no role "acountant"; did you mean "accountant"? — write "accountant"',
    ],
  ])('%s in access.json', async (_name, access, expected) => {
    const found = await warnings(agent(access))
    expect(found).toEqual([expect.stringContaining(expected)])
    expect(found[0]).toMatch(/^connections\/crm\/access\.json:\d+ /)
  })

  test('tools, skills and connections of a role', async () => {
    const found = await warnings(
      agent(
        {},
        {
          'roles/accountant.json': {
            tools: ['request', 'late_fe', 'brought_by_a_client', 'crm__anything'],
            skills: ['gone'],
            connections: ['crn'],
          },
        },
      ),
    )
    expect(found).toEqual([
      expect.stringMatching(
        /^roles\/accountant\.json:\d there is no tool "late_fe"; did you mean "late_fee"\? — write "late_fee"/,
      ),
      expect.stringMatching(/there is no skill "gone" — correct the name, or remove it/),
      expect.stringMatching(/there is no connection "crn"; did you mean "crm"\?/),
    ])
  })

  test('nothing is said where there is nothing to compare with', async () => {
    const {
      'connections/crm/openapi.json': _,
      'roles/accountant.json': __,
      ...files
    } = agent({
      endpoints: { 'GET /invoces': 'allow' },
      fieldRestrictions: [
        { entity: 'Invoice', field: 'ibann', policy: 'role_gated', allowedRoles: ['acountant'] },
      ],
    })
    expect(await warnings({ ...files, 'amodal.json': { name: 'office' } })).toEqual([])
  })

  test('an unknown type of authentication names the one that was meant', async () => {
    const found = await warnings(
      agent(
        {},
        {
          'connections/crm/spec.json': {
            baseUrl: 'http://127.0.0.1:9',
            auth: { type: 'beaer', token: 'env:T' },
          },
        },
      ),
    )
    expect(found).toContainEqual(
      expect.stringMatching(
        /^connections\/crm\/spec\.json:\d+ `auth\.type` cannot be "beaer"; did you mean "bearer"\? — use one of: bearer, header, api_key, basic, oauth2$/,
      ),
    )
  })

  test('roles that leave people without tools are told of', async () => {
    expect(
      await warnings(
        agent(
          {},
          { 'amodal.json': { name: 'office' }, 'roles/accountant.json': { tools: ['pay_out'] } },
        ),
      ),
    ).toEqual([
      expect.stringMatching(
        /^roles\/accountant\.json:2 the role "accountant" names no tool that there is: whoever has it can use none/,
      ),
      expect.stringMatching(/^amodal\.json:undefined there are roles and no `defaultRole`/),
    ])
  })
})

describe('a model in short', () => {
  const manifest = async (rest: object): Promise<readonly string[]> =>
    warnings({ 'amodal.json': { name: 'office', ...rest } })

  test.each<readonly [object, string]>([
    [{ model: 'gpt-4o' }, "provider 'openai'"],
    [{ models: { main: 'claude-sonnet-4' } }, "provider 'anthropic'"],
    [{ models: { main: { model: 'gemini-2.5-pro' } } }, "provider 'google'"],
  ])('%j is read where the name leaves no doubt', async (rest, expected) => {
    expect(await manifest(rest)).toEqual([expect.stringContaining(expected)])
  })

  test('says what to write where it does not', async () => {
    expect(await manifest({ model: 'llama-3' })).toEqual([
      expect.stringMatching(
        /^amodal\.json:3 "llama-3" does not say whose model it is: `provider` is missing — write "provider": "…" beside "model": "llama-3", with one of: .*groq/,
      ),
    ])
  })

  test('an unknown provider is told of with the one that was meant', async () => {
    expect(await manifest({ models: { main: { provider: 'opnai', model: 'gpt-4o' } } })).toEqual([
      expect.stringMatching(
        /^amodal\.json:5 there is no model provider "opnai"; did you mean "openai"\? — write "openai"$/,
      ),
    ])
  })
})
