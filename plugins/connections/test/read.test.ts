import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { describe, expect, test } from 'vitest'
import { readConnections } from '../src/read.ts'
import { bundleOf, read, secretsOf } from './support.ts'

const spec = { baseUrl: 'https://api.example.com/v1' }
const files = (
  access: unknown,
  more: JsonObject = {},
): Readonly<Record<string, string | object>> => ({
  'connections/crm/spec.json': { ...spec, ...more },
  'connections/crm/access.json': typeof access === 'string' ? access : (access as object),
})
const accessOf = async (access: object) =>
  connectionsOf((await read(files(access))).bundle)[0]?.access
const specOf = async (more: JsonObject) =>
  connectionsOf((await read(files({}, more))).bundle)[0]?.rest

describe('access.json', () => {
  test('has one spelling of each tier', async () => {
    const spellings = [false, 'allow', true, 'confirm', 'review', 'never', 'deny', 'hidden']
    const access = await accessOf({
      endpoints: Object.fromEntries([
        ...spellings.map((confirm, n) => [`GET /${n}`, { confirm }]),
        ['post /none', {}],
        ['* /short', 'deny'],
      ]),
    })
    expect(access?.rules.map(({ method, path, tier }) => `${method} ${path} ${tier}`)).toEqual([
      'GET /0 allow',
      'GET /1 allow',
      'GET /2 confirm',
      'GET /3 confirm',
      'GET /4 review',
      'GET /5 never',
      'GET /6 never',
      'GET /7 never',
      'POST /none allow',
      '* /short never',
    ])
  })

  test('of the specification is read whole', async () => {
    expect(
      await accessOf({
        endpoints: {
          'GET /api/deals/{id}': { returns: ['Deal'], confirm: false },
          'POST /api/deals': {
            returns: ['Deal'],
            confirm: true,
            reason: 'Creates a new deal',
            thresholds: [
              { field: 'body.amount', above: 10000, escalate: 'review' },
              { field: 'query.force', equals: true, escalate: 'deny' },
              { field: 'body.items[].qty', below: 0, escalate: true },
            ],
          },
          'MUTATION createDeal': { confirm: 'review' },
          create_issue: true,
        },
        default: { write: 'review' },
        fieldRestrictions: [
          {
            entity: 'Contact',
            field: 'ssn',
            policy: 'never_retrieve',
            sensitivity: 'pii_identifier',
            reason: 'PII',
          },
          {
            entity: 'Deal',
            field: 'notes',
            policy: 'role_gated',
            sensitivity: 'internal',
            allowedRoles: ['supervisor'],
          },
        ],
        rowScoping: {
          Deal: {
            owner_id: { type: 'field_match', userContextField: 'userId', label: 'your deals' },
          },
          Region: { id: { type: 'all' } },
        },
        delegations: { enabled: true, maxDurationDays: 7, escalateConfirm: false },
        alternativeLookups: [
          { restrictedField: 'Contact.ssn', alternativeEndpoint: 'GET /x', description: 'Use x' },
        ],
      }),
    ).toEqual({
      rules: [
        {
          method: 'GET',
          path: '/api/deals/{id}',
          tier: 'allow',
          returns: ['Deal'],
          thresholds: [],
        },
        {
          method: 'POST',
          path: '/api/deals',
          tier: 'confirm',
          reason: 'Creates a new deal',
          returns: ['Deal'],
          thresholds: [
            { field: 'body.amount', above: 10000, escalate: 'review' },
            { field: 'query.force', equals: true, escalate: 'never' },
            { field: 'body.items[].qty', below: 0, escalate: 'confirm' },
          ],
        },
        { method: 'MUTATION', path: 'createDeal', tier: 'review', returns: [], thresholds: [] },
        { method: 'CALL', path: 'create_issue', tier: 'confirm', returns: [], thresholds: [] },
      ],
      fallback: { read: 'allow', write: 'review' },
      fieldRestrictions: [
        {
          entity: 'Contact',
          field: 'ssn',
          policy: 'never_retrieve',
          sensitivity: 'pii_identifier',
          reason: 'PII',
          allowedRoles: [],
        },
        {
          entity: 'Deal',
          field: 'notes',
          policy: 'role_gated',
          sensitivity: 'internal',
          allowedRoles: ['supervisor'],
        },
      ],
      rowScoping: [
        { entity: 'Deal', field: 'owner_id', userContextField: 'userId', label: 'your deals' },
      ],
      delegations: { enabled: true, escalateConfirm: false, maxDurationDays: 7 },
      alternativeLookups: [
        { restrictedField: 'Contact.ssn', alternativeEndpoint: 'GET /x', description: 'Use x' },
      ],
    })
  })

  test('may set one default for all', async () => {
    expect((await accessOf({ default: 'never' }))?.fallback).toEqual({
      read: 'never',
      write: 'never',
    })
  })

  test.each<[string, unknown, string]>([
    ['broken JSON', '{\n  "endpoints": {', 'connections/crm/access.json:2 an object is not closed'],
    [
      'an unknown tier',
      { endpoints: { 'GET /a': { confirm: 'mabye' } } },
      'connections/crm/access.json:4 `endpoints.GET /a.confirm` cannot be "mabye"',
    ],
    [
      'a mistyped tier',
      { endpoints: { 'GET /a': { confrim: true } } },
      'connections/crm/access.json:4 `endpoints.GET /a.confrim` is not a known field; did you mean `confirm`?',
    ],
    [
      'a block of another name',
      { denied: ['GET /a'] },
      'connections/crm/access.json:2 `denied` is not a known field',
    ],
    [
      'a rule with another name',
      { endpoints: { 'GET /a': { onlyFor: 'boss' } } },
      'connections/crm/access.json:4 `endpoints.GET /a.onlyFor` is not a known field',
    ],
    [
      'a mistyped block',
      { endpoint: {} },
      'connections/crm/access.json:2 `endpoint` is not a known field; did you mean `endpoints`?',
    ],
    ['no endpoint', { endpoints: { 'FETCH /a': true } }, '`FETCH /a` is no endpoint'],
    ['a path without a method', { endpoints: { '/a': true } }, '`/a` is no endpoint'],
    [
      'a threshold without a bound',
      { endpoints: { 'GET /a': { thresholds: [{ field: 'body.a', escalate: 'review' }] } } },
      'this threshold compares with nothing',
    ],
    [
      'a threshold elsewhere',
      {
        endpoints: {
          'GET /a': { thresholds: [{ field: 'amount', above: 1, escalate: 'review' }] },
        },
      },
      '`amount` is no part of a request',
    ],
    [
      'a bound as text',
      {
        endpoints: {
          'GET /a': { thresholds: [{ field: 'body.a', above: '1', escalate: 'review' }] },
        },
      },
      'above` is no number',
    ],
    [
      'a threshold without a tier',
      { endpoints: { 'GET /a': { thresholds: [{ field: 'body.a', above: 1 }] } } },
      '`escalate` is missing',
    ],
    [
      'an unknown policy',
      { fieldRestrictions: [{ entity: 'A', field: 'b', policy: 'hide', sensitivity: 'x' }] },
      '`policy` cannot be "hide"',
    ],
    [
      'a scope that is not there yet',
      { rowScoping: { Deal: { id: { type: 'through_relation' } } } },
      '"through_relation" is not supported yet',
    ],
    [
      'a scope of nobody',
      { rowScoping: { Deal: { id: { type: 'field_match' } } } },
      'userContextField` is missing',
    ],
    [
      'two entities that are one',
      { rowScoping: { Deal: { a: { type: 'all' } }, DEAL: { a: { type: 'all' } } } },
      'connections/crm/access.json:8 `DEAL` and `Deal` are the same name',
    ],
    [
      'two fields that are one',
      {
        fieldRestrictions: [
          { entity: 'Deal', field: 'ssn', policy: 'never_retrieve' },
          { entity: 'deal', field: 'ＳＳＮ', policy: 'role_gated' },
        ],
      },
      'connections/crm/access.json:10 `deal.ＳＳＮ` and `Deal.ssn` are the same name',
    ],
    [
      'two fields of a scope that are one',
      { rowScoping: { Deal: { owner: { type: 'all' }, Owner: { type: 'all' } } } },
      '`Owner` and `owner` are the same name',
    ],
    [
      'a threshold in two alphabets',
      {
        endpoints: {
          'POST /a': { thresholds: [{ field: 'body.аmount', above: 1, escalate: 'review' }] },
        },
      },
      'mixes letters of several alphabets that look alike',
    ],
    [
      'a field in two alphabets',
      { fieldRestrictions: [{ entity: 'Deal', field: 'ѕsn', policy: 'never_retrieve' }] },
      'connections/crm/access.json:5 `Deal.ѕsn` mixes letters',
    ],
    [
      'no field that may pass',
      { endpoints: { 'GET /a': { allow_fields: [] } } },
      '`endpoints.GET /a.allow_fields` names no field',
    ],
    [
      'an alias in place of a field of GraphQL',
      { endpoints: { 'QUERY deals': { allow_fields: ['id', 'key: salary'] } } },
      'connections/crm/access.json:6 `key: salary` is no path of GraphQL fields',
    ],
    [
      'a field of GraphQL with arguments',
      { endpoints: { 'MUTATION close': { allow_fields: ['deal(id: 1).name'] } } },
      'connections/crm/access.json:5 `deal(id: 1).name` is no path of GraphQL fields',
    ],
    [
      'any field of GraphQL beside others',
      { endpoints: { 'QUERY deals': { allow_fields: ['id', '*'] } } },
      'connections/crm/access.json:6 `endpoints.QUERY deals.allow_fields[1]` lets everything through',
    ],
    [
      'a text in place of fields of GraphQL',
      { endpoints: { 'QUERY deals': { allow_fields: 'id' } } },
      '`endpoints.QUERY deals.allow_fields` is no list of texts',
    ],
    ['lists for objects', { endpoints: [] }, '`endpoints` is no object'],
    ['objects for lists', { fieldRestrictions: {} }, '`fieldRestrictions` is no list'],
  ])('%s: the connection is out, and it is said why', async (_, access, why) => {
    const { names, broken, issues } = await read(files(access))
    expect([names, broken]).toEqual([[], ['crm']])
    expect(issues.join('\n')).toContain(why)
    expect(issues.join('\n')).toContain('error connections/crm the connection "crm" is left out')
  })

  test('names in one alphabet are no puzzle, and a dotless ı is a letter of its own', async () => {
    const { names, broken } = await read(
      files({
        fieldRestrictions: [
          { entity: 'Клиент', field: 'сумма', policy: 'never_retrieve' },
          { entity: 'Kişi', field: 'sınır', policy: 'never_retrieve' },
          { entity: 'Kişi', field: 'sinir', policy: 'never_retrieve' },
        ],
      }),
    )
    expect([names, broken]).toEqual([['crm'], []])
  })

  test('may have fields that nothing reads; that is told', async () => {
    const { names, issues } = await read(files({ endpoints: {}, comment: 'x' }))
    expect([names, issues]).toEqual([
      ['crm'],
      ['warning connections/crm/access.json:3 `comment` is not a known field'],
    ])
  })

  test('that is there and cannot be read is not one that is missing', async () => {
    const root = await mkdtemp(join(tmpdir(), 'amodal-connections-'))
    const put = async (path: string, text: string) => {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    await put('connections/crm/spec.json', '')
    await put('connections/crm/access.json', '{}')
    await chmod(join(root, 'connections/crm/access.json'), 0)
    const unread = await readConnections(
      { ...bundleOf({ 'connections/crm/spec.json': spec }), root },
      secretsOf({}),
    )
    await rm(root, { recursive: true })
    expect(connectionsOf(unread)).toEqual([])
    expect(unread.issues).toContainEqual(
      expect.objectContaining({
        file: 'connections/crm/access.json',
        severity: 'error',
        code: 'UNREADABLE',
      }),
    )
    const told = {
      ...bundleOf({ 'connections/crm/spec.json': spec }),
      issues: [
        {
          severity: 'error' as const,
          code: 'TOO_LARGE',
          message: 'the file is too long',
          file: 'connections/crm/access.json',
        },
      ],
    }
    expect(connectionsOf(await readConnections(told, secretsOf({})))).toEqual([])
  })

  test('under another name is an error, not a file that nobody reads', async () => {
    const { broken, issues } = await read({
      'connections/crm/spec.json': spec,
      'connections/crm/acces.json': {},
    })
    expect(broken).toEqual(['crm'])
    expect(issues).toContain(
      'error connections/crm/acces.json this file is not read; did you mean access.json?',
    )
  })

  test.each([
    [
      'connections/crm/permissions.json',
      'connections/crm/permissions.json this file is not read',
      ['crm'],
    ],
    [
      'connections/access.json',
      'connections/access.json this file belongs to no connection, and is not read',
      [],
    ],
    [
      'connections/crm/v2/access.json',
      'connections/crm/v2/access.json this file belongs to no connection, and is not read',
      [],
    ],
  ])('in a place where nobody reads it is an error: %s', async (path, message, out) => {
    const { broken, issues } = await read({
      'connections/crm/spec.json': spec,
      'connections/crm/access.json': {},
      [path]: {},
    })
    expect(broken).toEqual(out)
    expect(issues).toContain(`error ${message}`)
  })

  test('with two rules for one endpoint is out: the one that protects may be the one that does not count', async () => {
    const { names, issues } = await read({
      'connections/crm/spec.json': spec,
      'connections/crm/access.json':
        '{ "endpoints": {\n"DELETE /a": "never",\n"DELETE /a": "allow" } }',
    })
    expect([names, issues[0]]).toEqual([
      [],
      'error connections/crm the connection "crm" is left out, since its files are not in order',
    ])
    expect(issues).toContain('error connections/crm/access.json:3 "DELETE /a" is written twice')
  })

  test('that is not there: the defaults, with a word', async () => {
    const { bundle, issues } = await read({ 'connections/crm/spec.json': spec })
    expect(connectionsOf(bundle)).toMatchObject([
      { accessGiven: false, access: { rules: [], fallback: { read: 'allow', write: 'confirm' } } },
    ])
    expect(issues).toEqual([
      'warning connections/crm there is no access.json: reads are allowed, and every write asks',
    ])
  })
})

describe('spec.json', () => {
  test('has one spelling of each kind of credentials', async () => {
    const auth = async (given: JsonObject) => (await specOf({ auth: given }))?.auth
    const header = (name: string, prefix: string) => ({
      kind: 'header',
      header: name,
      prefix,
      value: 'env:T',
    })
    expect(await auth({ type: 'bearer', token: 'env:T' })).toEqual(
      header('Authorization', 'Bearer '),
    )
    expect(
      await auth({ type: 'bearer', token: 'env:T', header: 'X-Token', prefix: 'Token' }),
    ).toEqual(header('X-Token', 'Token '))
    expect(await auth({ type: 'oauth2', token: 'env:T' })).toEqual(
      header('Authorization', 'Bearer '),
    )
    expect(await auth({ type: 'api_key', token: 'env:T' })).toEqual(header('X-API-Key', ''))
    expect(
      await auth({ type: 'api_key', header: 'X-Key', prefix: 'key=', value: 'env:T' }),
    ).toEqual(header('X-Key', 'key='))
    expect(await auth({ type: 'api_key', query: 'key', token: 'env:T' })).toEqual({
      kind: 'query',
      param: 'key',
      value: 'env:T',
    })
    expect(await auth({ type: 'api_key', in: 'query', name: 'k', key: 'env:T' })).toEqual({
      kind: 'query',
      param: 'k',
      value: 'env:T',
    })
    expect(await auth({ type: 'header', header: 'X-Auth', token: 'env:T' })).toEqual(
      header('X-Auth', ''),
    )
    expect(await auth({ type: 'basic', username: 'a', password: 'env:T' })).toEqual({
      kind: 'basic',
      username: 'a',
      password: 'env:T',
    })
    expect(
      await auth({
        type: 'oauth2',
        tokenUrl: 'https://id.example.com/t',
        clientId: 'c',
        clientSecret: 'env:T',
        scope: 'a b',
      }),
    ).toEqual({
      kind: 'oauth2',
      grant: 'client_credentials',
      tokenUrl: 'https://id.example.com/t',
      clientId: 'c',
      clientSecret: 'env:T',
      scopes: ['a', 'b'],
      clientAuth: 'basic',
      header: 'Authorization',
      prefix: 'Bearer ',
    })
    expect(
      await auth({
        type: 'oauth2',
        tokenUrl: 'https://id.example.com/t',
        clientId: 'c',
        refreshToken: 'scope:R',
        clientAuth: 'body',
      }),
    ).toMatchObject({
      grant: 'refresh_token',
      refreshToken: 'scope:R',
      scopes: [],
      clientAuth: 'body',
    })
  })

  test('has what a connection needs, and defaults for the rest', async () => {
    expect(
      await specOf({
        format: 'openapi',
        specUrl: 'https://api.example.com/openapi.json',
        testPath: '/me',
        sync: { auto: true, frequency: 'on_push', notify_drift: true },
        headers: { 'X-Version': '3' },
        filter: { tags: ['public'], include_paths: ['/api/**'] },
        contextInjection: { tenant: { in: 'header', field: 'X-Tenant' } },
        rateLimit: { perSecond: 5 },
        limits: { tries: 1 },
        idempotent: true,
      }),
    ).toEqual({
      baseUrl: 'https://api.example.com/v1',
      format: 'openapi',
      specUrl: 'https://api.example.com/openapi.json',
      sync: { when: 'load', notifyDrift: true },
      testPath: '/me',
      headers: { 'X-Version': '3' },
      filter: { tags: ['public'], includePaths: ['/api/**'], excludePaths: [] },
      contextInjection: [{ value: 'tenant', in: 'header', field: 'X-Tenant', required: true }],
      rateLimit: { perSecond: 5, burst: 1 },
      limits: { timeoutMs: 30_000, maxBytes: 5_000_000, tries: 1 },
      idempotent: true,
    })
  })

  test.each<[string, JsonObject, string]>([
    ['no address', { baseUrl: 'api.example.com' }, '`baseUrl` is no http or https address'],
    [
      'an address with a login',
      { baseUrl: 'https://a:b@c.d' },
      '`baseUrl` is no http or https address',
    ],
    ['grpc', { format: 'grpc' }, '`format` "grpc" is not supported yet'],
    ['aws-api', { format: 'aws-api' }, '`format` "aws-api" is not supported yet'],
    ['another format', { format: 'soap' }, '`format` cannot be "soap"'],
    ['another protocol', { protocol: 'ftp' }, '`protocol` cannot be "ftp"'],
    ['no token', { auth: { type: 'bearer' } }, '`auth.token` is missing'],
    ['another kind of credentials', { auth: { type: 'digest' } }, '`auth'],
    [
      'no secret',
      { auth: { type: 'oauth2', tokenUrl: 'https://a.b/t', clientId: 'c' } },
      '`auth.clientSecret` is missing',
    ],
    [
      'a wrong place',
      { contextInjection: { a: { in: 'cookie', field: 'x' } } },
      '`contextInjection.a.in` cannot be "cookie"',
    ],
  ])('%s: the connection is out', async (_, more, why) => {
    const { broken, issues } = await read(files({}, more))
    expect(broken).toEqual(['crm'])
    expect(issues.join('\n')).toMatch(
      new RegExp(
        `error connections/crm/spec\\.json:\\d+ ${why.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
      ),
    )
  })

  test('unknown fields, secrets in plain text and variables that are not set are told', async () => {
    const { names, issues, bundle } = await read(
      files(
        {},
        { auht: {}, auth: { type: 'bearer', token: 'sk-123' }, headers: { 'X-A': 'env:NONE' } },
      ),
    )
    expect(names).toEqual(['crm'])
    expect(issues).toEqual([
      'warning connections/crm/spec.json:3 `auht` is not a known field; did you mean `auth`?',
      'warning connections/crm/spec.json:6 `auth.token` holds the secret itself',
      'warning connections/crm/spec.json:9 the variable NONE is not set (`headers.X-A`)',
    ])
    expect(bundle.references).toEqual([
      { name: 'NONE', set: false, where: 'connections/crm/spec.json:9' },
    ])
  })

  test('that is missing, or of a folder that has no name', async () => {
    expect(await read({ 'connections/crm/rules.md': 'x' })).toMatchObject({
      broken: ['crm'],
      issues: [expect.any(String), 'error connections/crm/spec.json there is no spec.json'],
    })
    expect((await read({ 'connections/my crm/spec.json': spec })).broken).toEqual(['my crm'])
  })
})

describe('MCP', () => {
  test('connections in folders and in the manifest; the folder counts', async () => {
    const { bundle, names, issues } = await read(
      {
        'connections/github/spec.json': {
          protocol: 'mcp',
          command: 'uvx',
          args: ['mcp-server-github'],
          env: { T: 'env:T' },
        },
        'connections/github/rules.md': 'Ask first.',
      },
      {
        mcp: {
          servers: {
            github: { command: 'other' },
            docs: { url: 'https://docs.example.com/mcp', trust: true },
            old: { transport: 'sse', url: 'http://127.0.0.1:8001' },
          },
        },
      },
      { T: 'x' },
    )
    expect(names).toEqual(['docs', 'github', 'old'])
    expect(connectionsOf(bundle)).toMatchObject([
      {
        name: 'docs',
        protocol: 'mcp',
        spec: { transport: 'http', url: 'https://docs.example.com/mcp', trust: true },
        accessGiven: false,
        file: 'amodal.json',
      },
      {
        name: 'github',
        protocol: 'mcp',
        spec: { transport: 'stdio', command: 'uvx' },
        rules: 'Ask first.',
        file: 'connections/github/spec.json',
      },
      { name: 'old', spec: { transport: 'sse' } },
    ])
    expect(issues).toEqual([
      'warning amodal.json:1 the folder connections/github counts, and `mcp.servers.github` is not read',
    ])
  })

  test('that cannot be are left out alone', async () => {
    const { names, broken, issues } = await read(
      {},
      {
        mcp: { servers: { a: { transport: 'stdio' }, b: { url: 'ftp://x' }, c: { command: 'x' } } },
      },
    )
    expect([names, broken]).toEqual([['c'], ['a', 'b']])
    expect(issues.join('\n')).toContain('`command` is missing, and the transport stdio needs it')
  })
})

describe('`connections` of the manifest', () => {
  const folder = {
    'connections/crm/spec.json': {
      ...spec,
      auth: { type: 'api_key', header: 'X-Key', value: 'env:OLD' },
      headers: { 'X-A': 'a' },
    },
    'connections/crm/access.json': {},
  }

  test('counts over the spec.json of its connection, field by field', async () => {
    const { bundle, names, issues } = await read(
      folder,
      {
        connections: {
          crm: {
            auth: { api_key: 'env:NEW' },
            headers: { 'X-B': 'b' },
            baseUrl: 'https://eu.example.com',
          },
        },
      },
      { NEW: 'n', OLD: 'o' },
    )
    expect([names, issues]).toEqual([['crm'], []])
    expect(connectionsOf(bundle)[0]?.rest).toMatchObject({
      baseUrl: 'https://eu.example.com',
      headers: { 'X-A': 'a', 'X-B': 'b' },
      auth: { kind: 'header', header: 'X-Key', value: 'env:NEW' },
    })
  })

  test('may be a connection of its own, where it names an address', async () => {
    const { bundle, names } = await read(
      {},
      {
        connections: { pay: { baseUrl: 'https://api.example.com', auth: { api_key: 'env:PAY' } } },
      },
      { PAY: 'p' },
    )
    expect(names).toEqual(['pay'])
    expect(connectionsOf(bundle)[0]).toMatchObject({
      file: 'amodal.json',
      accessGiven: false,
      rest: {
        auth: { kind: 'header', header: 'Authorization', prefix: 'Bearer ', value: 'env:PAY' },
      },
    })
  })

  test.each<[string, JsonObject, string]>([
    [
      'names no connection',
      { connections: { crn: { auth: { api_key: 'env:X' } } } },
      'error amodal.json:1 `connections.crn` belongs to no connection: there is no connections/crn, and it names no address',
    ],
    [
      'is no object',
      { connections: { crm: 'x' } },
      'error amodal.json:1 `connections.crm` is no object',
    ],
    [
      'cannot be used',
      { connections: { crm: { auth: { type: 'digest' } } } },
      'error amodal.json:1 `auth.type`',
    ],
    [
      'has a field that nothing reads',
      { connections: { crm: { bseUrl: 'https://x.example' } } },
      'warning amodal.json:1 `bseUrl` is not a known field; did you mean `baseUrl`?',
    ],
  ])('that %s is told with the file that it stands in', async (_, raw, message) => {
    expect((await read(folder, raw, { OLD: 'o' })).issues.join('\n')).toContain(message)
  })
})

describe('a connection of the second layout', () => {
  const spec = { baseUrl: 'https://farm.example' }
  const policy = { endpoints: { 'POST /plots/{id}': { intent: 'read', returns: ['Plot'] } } }

  test('has its rules in policy.json, in the folder amodal, too', async () => {
    const { bundle, issues } = await read({
      'amodal/connections/farm/spec.json': spec,
      'amodal/connections/farm/policy.json': policy,
    })
    expect(issues).toEqual([])
    expect(connectionsOf(bundle)).toMatchObject([
      {
        name: 'farm',
        file: 'amodal/connections/farm/spec.json',
        accessGiven: true,
        access: { rules: [{ method: 'POST', intent: 'read', tier: 'allow' }] },
      },
    ])
  })

  test.each([
    ['two files of rules', { 'policy.json': policy, 'access.json': policy }, 'only one may decide'],
    ['rules that cannot be read', { 'policy.json': '{' }, 'policy.json'],
    ['a rule that is not known', { 'policy.json': { endpoint: {} } }, 'endpoint'],
  ])('is left out with %s', async (_what, files, message) => {
    const { names, broken, issues } = await read({
      'connections/farm/spec.json': spec,
      ...Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`connections/farm/${name}`, text]),
      ),
    })
    expect(names).toEqual([])
    expect(broken).toEqual(['farm'])
    expect(issues.join('\n')).toContain(message)
  })
})
