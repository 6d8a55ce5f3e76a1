import { defineBundle, type AgentBundle, type JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { declarationOf } from '../src/declaration.ts'
import { evaluate } from '../src/expressions.ts'
import { readState } from '../src/read-state.ts'

const FIELDS = {
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
  state: { fields: FIELDS },
  expressions,
})

async function gives(expressions: JsonObject, values: JsonObject = {}) {
  const bundle = await readState(bundleOf(withExpressions(expressions)))
  const declaration = bundle && declarationOf(bundle)
  expect(bundle?.issues).toEqual([])
  return declaration && evaluate(declaration.expressions, declaration.fields, values)
}

describe('what is declared', () => {
  test('names fields that cannot be used', async () => {
    expect(
      await issuesOf({ state: { fields: { 'a b': { type: 'string', default: '' } } } }),
    ).toEqual(['"a b" is no name for a field of the state'])
    expect(
      await issuesOf({ state: { fields: { level: { type: 'integer', default: 'one' } } } }),
    ).toEqual([expect.stringContaining('the default of "level" does not fit its schema')])
    expect(await issuesOf({ state: { fields: { level: { type: 'integer' } } } })).toEqual([
      expect.stringContaining('`state.fields.level.default`'),
    ])
    expect(
      await issuesOf({ state: { fields: { a: { default: 1, visible: 'everybody' } } } }),
    ).toEqual([expect.stringContaining('`state.fields.a.visible`')])
  })

  test('takes the short form', async () => {
    const bundle = await readState(bundleOf({ mutable: FIELDS }))
    expect((bundle && declarationOf(bundle))?.fields.map(({ name }) => name)).toEqual(
      Object.keys(FIELDS),
    )
  })

  test.each([
    [{ model: 'state.nothing' }, 'No such key: nothing'],
    [{ model: 'state.level >' }, 'expressions.model'],
    [{ temperature: 'state.subject' }, 'gives string, and must give a number'],
    [{ instructions: 'Teach {{ state.subjekt }}.' }, 'No such key: subjekt'],
    [{ maxTurns: 'process.exit()' }, 'expressions.maxTurns'],
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
