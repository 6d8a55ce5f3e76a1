import { defineBundle, type AgentBundle, type JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { declarationOf } from '../src/declaration.ts'
import { evaluate } from '../src/expressions.ts'
import { readState } from '../src/read-state.ts'

const PROPERTIES = {
  level: { type: 'integer', default: 1 },
  ratio: { type: 'number', default: 0.5 },
  subject: { type: 'string', default: 'maths' },
  tags: { type: 'array', default: [] },
}

const bundleOf = (raw: JsonObject): AgentBundle => {
  const bundle = defineBundle({ name: 'tutor' })
  return { ...bundle, manifest: { ...bundle.manifest, raw } }
}
const issuesOf = async (raw: JsonObject): Promise<readonly string[]> =>
  ((await readState(bundleOf(raw)))?.issues ?? []).map(({ message }) => message)
const withExpressions = (expressions: JsonObject): JsonObject => ({
  state: { properties: PROPERTIES },
  expressions,
})

async function gives(expressions: JsonObject, values: JsonObject = {}) {
  const bundle = await readState(bundleOf(withExpressions(expressions)))
  const declaration = bundle && declarationOf(bundle)
  expect(bundle?.issues).toEqual([])
  return (
    declaration &&
    evaluate(declaration.expressions, declaration.properties, {
      state: values,
      principal: { id: 'ada', roles: ['teacher'], tenant: 'school' },
      now: Date.UTC(2026, 10, 28, 9, 30),
    })
  )
}

describe('what is declared', () => {
  test('names properties that cannot be used', async () => {
    expect(
      await issuesOf({ state: { properties: { 'a b': { type: 'string', default: '' } } } }),
    ).toEqual(['"a b" is no name for a property of the state'])
    expect(
      await issuesOf({ state: { properties: { level: { type: 'integer', default: 'one' } } } }),
    ).toEqual([expect.stringContaining('the default of "level" does not fit its schema')])
    expect(await issuesOf({ state: { properties: { level: { type: 'integer' } } } })).toEqual([
      expect.stringContaining('`state.properties.level.default`'),
    ])
    expect(
      await issuesOf({ state: { properties: { a: { default: 1, visibility: 'everybody' } } } }),
    ).toEqual([expect.stringContaining('`state.properties.a.visibility`')])
  })

  test('warns of a role that was meant to be another', async () => {
    const marks = { type: 'array', default: [], visibility: { roles: ['techer', 'auditor'] } }
    const bundle = bundleOf({ state: { properties: { marks } } })
    const roles = { given: true, roles: [{ name: 'teacher' }, { name: 'pupil' }] }
    const read = await readState({ ...bundle, parts: { roles } })
    expect(read?.issues).toMatchObject([
      {
        severity: 'warning',
        message: '`visibility` of "marks": there is no role "techer"; did you mean "teacher"?',
      },
    ])
    expect((read && declarationOf(read))?.properties).toHaveLength(1)
  })

  test('takes the short form: a value, or what `properties` has', async () => {
    const bundle = await readState(
      bundleOf({
        mutable: { specialty: 'general', count: 0, ratio: 0.5, level: PROPERTIES.level },
      }),
    )
    expect((bundle && declarationOf(bundle))?.properties).toMatchObject([
      { name: 'specialty', schema: { type: 'string' }, default: 'general', visibility: 'private' },
      { name: 'count', schema: { type: 'integer' }, default: 0 },
      { name: 'ratio', schema: { type: 'number' }, default: 0.5 },
      { name: 'level', schema: { type: 'integer' }, default: 1 },
    ])
  })

  test.each([
    [{ model: 'state.nothing' }, 'No such key: nothing'],
    [{ model: 'state.level >' }, 'expressions.model'],
    [{ temperature: 'state.subject' }, 'gives string, and must give a number'],
    [{ instructions: 'Teach {{ state.subjekt }}.' }, 'No such key: subjekt'],
    [{ maxTurns: 'process.exit()' }, 'expressions.maxTurns'],
    [{ model: 'principal.name' }, 'No such key: name'],
  ])('refuses the expression %j', async (expressions, message) => {
    expect(await issuesOf(withExpressions(expressions))).toEqual([expect.stringContaining(message)])
  })
})

describe('what expressions give', () => {
  test('numbers of both kinds are calculated with', async () => {
    expect(await gives({ temperature: 'state.level * 0.25', maxTurns: 'state.level + 4' })).toEqual(
      {
        temperature: 0.25,
        maxTurns: 5,
        failed: [],
      },
    )
  })

  test('the principal and the time count', async () => {
    expect(
      await gives({
        model: '"teacher" in principal.roles ? "advanced" : "main"',
        instructions: 'It is {{ now }} for {{ principal.id }} of {{ principal.tenant }}.',
        temperature: 'now.getHours("UTC") < 12 ? 0.2 : 0.8',
      }),
    ).toEqual({
      model: 'advanced',
      instructions: 'It is 2026-11-28T09:30:00.000Z for ada of school.',
      temperature: 0.2,
      failed: [],
    })
  })

  test('instructions are filled in', async () => {
    expect(
      await gives(
        { instructions: 'Teach {{ state.subject }}: {{ state.tags }}, {{ size(state.tags) }}.' },
        { subject: 'music', tags: ['a', 'b'] },
      ),
    ).toEqual({ instructions: 'Teach music: ["a","b"], 2.', failed: [] })
  })

  test('what is out of bounds, or fails, is left out and named', async () => {
    expect(await gives({ temperature: 'state.level * 3.0', maxTurns: 'state.level - 5' })).toEqual({
      failed: [
        { name: 'temperature', message: 'gave 3' },
        { name: 'maxTurns', message: 'gave -4' },
      ],
    })
    expect(await gives({ model: 'state.tags[3]' })).toMatchObject({ failed: [{ name: 'model' }] })
  })
})
