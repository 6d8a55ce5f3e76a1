import { defineBundle, ok, silentLogger, type AgentBundle, type ToolDefinition } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { grantsOf } from '../src/grants.ts'
import { roles } from '../src/index.ts'
import { readRoles, rolesOf } from '../src/role.ts'
import { roleView } from '../src/view.ts'

pluginContract(roles, { config: { defaultRole: 'guest' } })

const bundleWith = (files: Readonly<Record<string, unknown>>): AgentBundle => ({
  ...defineBundle({
    name: 'test',
    skills: ['triage', 'payroll'].map((name) => ({ name, description: name, body: name })),
  }),
  files: Object.entries(files).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : JSON.stringify(content),
  })),
})
const tools = (...names: readonly string[]): readonly ToolDefinition[] =>
  names.map((name) => ({
    name,
    description: name,
    parameters: { type: 'object', properties: { x: {} } },
    parse: (args) => ok(args),
    readOnly: true,
    execute: () => Promise.resolve({ status: 'success', output: 1 }),
  }))

describe('a file of roles/', () => {
  test('may say all that the format has', () => {
    const read = readRoles(
      bundleWith({
        'roles/analyst.json': {
          name: 'analyst',
          tools: ['request', 'query_store'],
          skills: ['triage'],
          constraints: {},
        },
        'roles/boss.json': { tools: '*', skills: '*' },
        'roles/notes.md': 'Not a role.',
      }),
    )
    expect(read.issues).toEqual([])
    expect(rolesOf(read)).toEqual({
      given: true,
      roles: [
        {
          name: 'analyst',
          tools: ['request', 'query_store'],
          skills: ['triage'],
          connections: ['*'],
          automations: { view: true, manage: false },
        },
        {
          name: 'boss',
          tools: ['*'],
          skills: ['*'],
          connections: ['*'],
          automations: { view: true, manage: false },
        },
      ],
    })
  })

  test.each([
    ['another name than its file', { name: 'boss', tools: [] }, /says "boss"/],
    ['no tools', { skills: [] }, /`tools` is missing|`tools`/],
    ['tools of another kind', { tools: [1] }, /`tools/],
    ['a torn file', '{ "tools": [', /not closed/],
    ['a list', '[]', /no object/],
    [
      'a limit that nobody keeps',
      { tools: '*', constraints: { hours: [9, 17] } },
      /`constraints.hours` limits nothing/,
    ],
  ])('with %s is no role, and still there', (_name, content, message) => {
    const read = readRoles(bundleWith({ 'roles/clerk.json': content }))
    expect(rolesOf(read)).toEqual({ given: true, roles: [] })
    expect(read.issues).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        file: 'roles/clerk.json',
        message: expect.stringMatching(message) as string,
      }),
    )
  })

  test('that could not even be read counts as one', () => {
    const bundle = {
      ...bundleWith({}),
      issues: [
        {
          severity: 'error',
          code: 'UNREADABLE',
          message: 'cannot be read',
          file: 'roles/boss.json',
        },
      ] as const,
    }
    expect(grantsOf(readRoles(bundle), ['boss'], undefined).grants.tools).toEqual([])
  })

  test('says what may be done with automations', () => {
    const read = readRoles(
      bundleWith({
        'roles/clerk.json': '{\n  "tools": ["pay"],\n  "automations": { "can_create": true }\n}',
      }),
    )
    expect(rolesOf(read).roles).toMatchObject([{ automations: { view: true, manage: true } }])
    expect(read.issues).toEqual([])
  })

  // `conections` would leave the role every connection, and `deny` every tool that it names.
  test.each([
    ['skils', '`skils` is not a known field; did you mean `skills`?'],
    ['conections', '`conections` is not a known field; did you mean `connections`?'],
    ['deny', '`deny` is not a known field'],
    ['hours', '`hours` is not a known field'],
  ])('that has a field it does not know is no role: %s', (field, message) => {
    const read = readRoles(bundleWith({ 'roles/clerk.json': { tools: ['pay'], [field]: ['x'] } }))
    expect(rolesOf(read)).toEqual({ given: true, roles: [] })
    expect(read.issues).toMatchObject([{ severity: 'error', file: 'roles/clerk.json', message }])
    expect(read.issues[0]?.fix).not.toMatch(/remove/)
  })

  test.each([
    ['_comment', []],
    ['note', [{ severity: 'warning' }]],
  ])('may have a remark: %s', (key, issues) => {
    const read = readRoles(bundleWith({ 'roles/clerk.json': { tools: ['pay'], [key]: 'x' } }))
    expect(rolesOf(read).roles).toHaveLength(1)
    expect(read.issues).toMatchObject(issues)
  })

  test.each(['roles/old/x.json', 'roles/clerk.yaml'])(
    'that stands where none is read opens nothing: %s',
    (path) => {
      const read = readRoles(bundleWith({ [path]: '{}' }))
      expect(rolesOf(read)).toEqual({ given: true, roles: [] })
      expect(read.issues).toMatchObject([
        { severity: 'error', file: path, fix: 'write it as roles/<name>.json' },
      ])
    },
  )
})

describe('a view', () => {
  const bundle = readRoles(
    bundleWith({
      'roles/analyst.json': { tools: ['request', 'github__*'], skills: ['tri*'] },
      'roles/boss.json': { tools: '*', skills: '*' },
    }),
  )
  const view = roleView({ defaultRole: undefined, always: ['activate_skill'], log: silentLogger })

  test('is the same object for the same roles, in any order', () => {
    expect(view.bundle(bundle, ['analyst', 'gone'])).toBe(
      view.bundle(bundle, ['gone', 'analyst', 'gone']),
    )
    expect(view.bundle(bundle, ['boss'])).toBe(bundle)
  })

  test('has what its roles allow, a hash of its own, and knows the whole', () => {
    const seen = view.bundle(bundle, ['analyst'])
    expect(seen.skills.map(({ name }) => name)).toEqual(['triage'])
    expect(seen).toMatchObject({ unrestricted: bundle })
    expect(seen.hash).not.toBe(bundle.hash)
    expect(view.bundle(bundle, []).hash).not.toBe(seen.hash)
    const list = {
      tools: tools('request', 'github__list', 'githubX', 'pay', 'activate_skill'),
      aliases: { ask: 'request', spend: 'pay' },
    }
    const shown = view.tools(list, seen)
    expect(shown.tools.map(({ name }) => name)).toEqual([
      'request',
      'github__list',
      'activate_skill',
    ])
    expect(shown.aliases).toEqual({ ask: 'request' })
    expect(view.tools(list, seen)).toBe(shown)
    expect(view.tools(shown, seen)).toBe(shown)
    expect(view.tools(list, bundle)).toBe(list)
  })
})
