import type { JsonObject } from '@amodal/kernel'
import { describe, expect, test } from 'vitest'
import { commonRules, GEMINI_RULES, ToolFitter } from '../src/models/index.ts'
import type { ToolSchema } from '../src/ports/model.ts'

const common = commonRules('openai')
const tool = (inputSchema: JsonObject, name = 'look'): ToolSchema => ({
  type: 'function',
  name,
  description: 'Looks.',
  inputSchema,
})
const call = (tools: ToolSchema[], rules = common, isStrict = false) =>
  new ToolFitter(rules, isStrict).call({ prompt: [], tools }).tools
const fitted = (schema: JsonObject, rules = common, isStrict = false): unknown =>
  call([tool(schema)], rules, isStrict)?.[0]
const lost = (schema: JsonObject, rules = common, isStrict = false): readonly string[] =>
  new ToolFitter(rules, isStrict).problems([tool(schema)])
const text = { type: 'string' }

describe('what every provider takes', () => {
  test('is sent as it stands, and the same each time', () => {
    const plain = tool({
      type: 'object',
      properties: { id: text, many: { type: ['array', 'null'], items: { $ref: '#/$defs/one' } } },
      required: ['id'],
      $defs: { one: text },
    })
    expect(call([plain])?.[0]).toBe(plain)
    expect(lost(plain.inputSchema as JsonObject)).toEqual([])
    const fitter = new ToolFitter(common)
    const odd = tool({ type: 'object' })
    const schemas = [1, 2]
      .map(() => fitter.call({ prompt: [], tools: [odd] }).tools?.[0])
      .map((one) => (one?.type === 'function' ? one.inputSchema : undefined))
    expect(schemas[0]).toBe(schemas[1])
  })

  test.each<readonly [string, JsonObject, JsonObject]>([
    ['an object without properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['nothing at all', {}, { type: 'object', properties: {} }],
    [
      'an object or nothing',
      { type: ['object', 'null'], properties: { a: text } },
      { type: 'object', properties: { a: text } },
    ],
    [
      'a reference at the root',
      {
        $ref: '#/definitions/in',
        definitions: { in: { type: 'object', properties: { a: text } } },
      },
      {
        type: 'object',
        properties: { a: text },
        definitions: { in: { type: 'object', properties: { a: text } } },
      },
    ],
    [
      'a list of nothing',
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ],
    [
      'a tuple of an older draft',
      { type: 'object', properties: { a: { type: 'array', items: [text, { type: 'number' }] } } },
      {
        type: 'object',
        properties: { a: { type: 'array', items: { anyOf: [text, { type: 'number' }] } } },
      },
    ],
    [
      'marks of older drafts',
      {
        type: 'object',
        properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true, required: true } },
      },
      { type: 'object', properties: { a: { type: 'number', minimum: 0 } } },
    ],
    [
      'a property that is never there',
      { type: 'object', properties: { a: text, b: false, c: true } },
      { type: 'object', properties: { a: text, c: {} } },
    ],
    [
      'all of several',
      {
        allOf: [
          { type: 'object', properties: { a: text }, required: ['a'] },
          { properties: { b: text }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] },
    ],
    [
      'nullable',
      { type: 'object', properties: { a: { type: 'string', nullable: true } } },
      { type: 'object', properties: { a: { type: ['string', 'null'] } } },
    ],
  ])('is made of %s', (_what, schema, expected) => {
    expect(fitted(schema)).toMatchObject({ inputSchema: expected })
    expect(Object.keys((fitted(schema) as { inputSchema: JsonObject }).inputSchema).sort()).toEqual(
      Object.keys(expected).sort(),
    )
  })

  test.each(['oneOf', 'anyOf'])(
    'is made of a choice at the root (%s), whose alternatives are told in words',
    (key) => {
      const schema = {
        type: 'object',
        [key]: [
          {
            properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
            required: ['kind', 'radius'],
          },
          {
            properties: { kind: { const: 'square' }, side: { type: 'number' } },
            required: ['kind', 'side'],
          },
        ],
      }
      expect(fitted(schema)).toEqual({
        type: 'function',
        name: 'look',
        description: `Looks.\nGive the arguments of ${key === 'oneOf' ? 'exactly' : 'at least'} one of these: \`kind\` "circle", \`radius\`; \`kind\` "square", \`side\`.`,
        inputSchema: {
          type: 'object',
          properties: {
            kind: { anyOf: [{ const: 'circle' }, { const: 'square' }] },
            radius: { type: 'number' },
            side: { type: 'number' },
          },
          required: ['kind'],
        },
      })
    },
  )
})

describe('what cannot be said is left out, and told', () => {
  test('a tool of no object, and one whose name is taken nowhere', () => {
    expect(
      call([
        tool({ type: 'string' }),
        tool({ anyOf: [text, { type: 'number' }] }, 'other'),
        tool({ type: 'object' }, 'a.b'),
        tool({ type: 'object' }, 'x'.repeat(65)),
      ]),
    ).toBeUndefined()
    expect(lost({ type: 'string' })).toEqual([
      'the tool "look" with models of "openai": it is left out, since its parameters describe no object',
    ])
    expect(new ToolFitter(common).problems([tool({}, 'a.b')])).toEqual([
      'the tool "a.b" with models of "openai": it is left out, since its name is not one that is taken there',
    ])
  })

  test('a reference that leads nowhere, and a list of values that is too long', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/gone' },
        b: { $ref: 'https://example.com/schema' },
        c: { enum: Array.from({ length: 2_000 }, (_, n) => `v${n}`) },
      },
    }
    expect(fitted(schema)).toMatchObject({
      inputSchema: {
        properties: {
          a: {},
          b: {},
          c: {
            description: expect.stringMatching(/^One of 2000 values, such as "v0", "v1"/) as string,
          },
        },
      },
    })
    expect(lost(schema).join('\n')).toMatch(
      /"#\/\$defs\/gone" leads nowhere.*"https:\/\/example.com\/schema" leads nowhere.*a list of 2000 values/s,
    )
  })
})

describe('google', () => {
  test('references are written out, and what is not known there is said in words or left out', () => {
    const schema = {
      type: 'object',
      $defs: { one: { type: 'string', format: 'uri', description: 'A page.' } },
      additionalProperties: false,
      properties: {
        page: { $ref: '#/$defs/one' },
        kind: { const: 'x' },
        size: { oneOf: [text, { type: 'integer', exclusiveMinimum: 3, multipleOf: 2 }] },
        both: { allOf: [{ type: 'object', properties: { a: text } }, { properties: { b: text } }] },
        when: { type: 'string', format: 'date-time', pattern: '^2' },
      },
      patternProperties: { '^x': text },
    }
    expect(fitted(schema, GEMINI_RULES)).toMatchObject({
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          page: { type: 'string', description: 'A page. Format: uri.' },
          kind: { enum: ['x'] },
          size: { anyOf: [text, { type: 'integer' }] },
          both: { type: 'object', properties: { a: text, b: text } },
          when: { type: 'string', format: 'date-time' },
        },
      },
    })
    expect(JSON.stringify(fitted(schema, GEMINI_RULES))).not.toMatch(
      /\$ref|\$defs|oneOf|allOf|pattern|multipleOf|exclusive/,
    )
  })

  test('one that contains itself is written out once', () => {
    const tree = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(fitted(tree, GEMINI_RULES)).toMatchObject({
      inputSchema: { properties: { tree: { type: 'object', properties: { next: {} } } } },
    })
  })
})

test('strict: objects are closed where nothing of them is optional or open, and the others are told', () => {
  const firm = {
    type: 'object',
    properties: { a: text, in: { type: 'object', properties: { b: text }, required: ['b'] } },
    required: ['a', 'in'],
  }
  expect(fitted(firm, common, true)).toMatchObject({
    strict: true,
    inputSchema: {
      additionalProperties: false,
      properties: { in: { additionalProperties: false } },
    },
  })
  const loose = { type: 'object', properties: { a: text } }
  expect(fitted(loose, common, true)).toMatchObject({ strict: false })
  expect(lost(loose, common, true)).toEqual([expect.stringContaining('it is not strict')])
  expect(fitted(loose)).not.toHaveProperty('strict')
})
