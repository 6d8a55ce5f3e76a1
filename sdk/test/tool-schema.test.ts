import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { toolSchema } from '../src/index.ts'

const of = (schema: object): unknown => {
  const converted = toolSchema(schema)
  return converted.ok ? converted.value : `${converted.error.code}: ${converted.error.message}`
}

const expected = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'such as Lisbon' },
    days: { type: 'number' },
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { at: { type: 'string' } },
        required: ['at'],
        additionalProperties: false,
      },
    },
  },
  required: ['city', 'stops'],
  additionalProperties: false,
}

test('Zod 4', () => {
  expect(
    of(
      z.object({
        city: z.string().describe('such as Lisbon'),
        days: z.number().optional(),
        stops: z.array(z.object({ at: z.string() })),
      }),
    ),
  ).toEqual(expected)
})

test('Zod 3, as a plugin with a copy of its own brings it', () => {
  expect(
    of(
      z3.object({
        city: z3.string().describe('such as Lisbon'),
        days: z3.number().optional(),
        stops: z3.array(z3.object({ at: z3.string() })),
      }),
    ),
  ).toEqual(expected)
})

test('JSON Schema stays as it is', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'object', properties: {} } },
    'x-order': 1,
  }
  expect(of(schema)).toEqual(schema)
})

test('the model sends what goes in, so a default is not required', () => {
  expect(of(z.object({ days: z.number().default(3) }))).toEqual({
    type: 'object',
    properties: { days: { type: 'number', default: 3 } },
    additionalProperties: false,
  })
})

describe('what is said about other properties stands', () => {
  test.each([
    ['loose', z.looseObject({ a: z.string() }), {}],
    ['catchall', z.object({ a: z.string() }).catchall(z.number()), { type: 'number' }],
    ['Zod 3 passthrough', z3.object({ a: z3.string() }).passthrough(), true],
  ])('%s', (_name, schema, additionalProperties) => {
    expect(of(schema)).toMatchObject({ type: 'object', additionalProperties })
  })

  test('in records, unions and definitions too', () => {
    const Inner = z.object({ a: z.string() })
    expect(
      of(z.object({ byName: z.record(z.string(), Inner), either: z.union([Inner, z.string()]) })),
    ).toMatchObject({
      properties: {
        byName: { additionalProperties: { additionalProperties: false } },
        either: { anyOf: [{ additionalProperties: false }, { type: 'string' }] },
      },
    })
  })

  test('parts of an intersection do not shut each other out', () => {
    const both = z3.intersection(z3.object({ a: z3.string() }), z3.object({ b: z3.string() }))
    expect(of(z3.object({ both }))).toMatchObject({
      properties: { both: { allOf: [{ type: 'object' }, { type: 'object' }] } },
      additionalProperties: false,
    })
    expect(
      JSON.stringify(of(z3.object({ both }))).match(/"additionalProperties":false/g),
    ).toHaveLength(1)
  })
})

describe('a schema without meaning is refused', () => {
  test.each([
    ['nothing', {}, 'TOOL_SCHEMA: the parameters describe nothing, where an object is needed'],
    [
      'anything',
      z.unknown(),
      'TOOL_SCHEMA: the parameters describe nothing, where an object is needed',
    ],
    [
      'a text',
      z.string(),
      'TOOL_SCHEMA: the parameters describe a string, where an object is needed',
    ],
    [
      'what JSON cannot say',
      z.object({ when: z.date() }),
      'TOOL_SCHEMA: the parameters cannot be written as JSON Schema: ',
    ],
  ])('%s', (_name, schema, expected) => {
    expect(of(schema)).toContain(expected)
  })

  test('an object without properties is a tool without arguments', () => {
    expect(of(z.object({}))).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })
})
