import type { JsonObject } from '@amodal/sdk'
import { INTENTS, METHODS, POLICIES } from '../access.ts'

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text }
const tier = {
  enum: [false, true, 'allow', 'confirm', 'review', 'never', 'deny', 'hidden'],
  description:
    'allow (false): it runs; confirm (true): a person is asked; review: a person who may review; never: it does not run; hidden: the agent does not know of it',
}

const threshold = objectOf(
  {
    field: { ...text, description: 'Path of what is sent, such as body.amount' },
    above: { type: 'number' },
    below: { type: 'number' },
    equals: {},
    escalate: { ...tier, description: 'What it becomes then' },
    reason: text,
  },
  ['field', 'escalate'],
)

const rule = objectOf({
  returns: { ...texts, description: 'Entities that come back, whose fields are filtered' },
  allow_fields: { ...texts, minItems: 1, description: 'Fields that may pass; ["*"] for all' },
  confirm: tier,
  policy: tier,
  intent: { enum: [...INTENTS] },
  reason: { ...text, description: 'What a person is told who is asked' },
  thresholds: { type: 'array', items: threshold },
  taint: { const: 'ignore' },
  description: text,
})

const restriction = objectOf(
  {
    entity: text,
    field: text,
    policy: { enum: [...POLICIES, 'hidden'] },
    sensitivity: text,
    reason: text,
    allowedRoles: texts,
    group: text,
  },
  ['entity', 'field', 'policy'],
)

const scope = {
  ...objectOf({
    type: { enum: ['field_match', 'all'] },
    userContextField: text,
    label: text,
    param: text,
  }),
  required: ['type'],
}

/** `connections/*\/access.json` for editors. */
export const accessSchema = (): JsonObject => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'What the agent may do with a connection',
  ...objectOf({
    $schema: { type: 'string' },
    description: { type: 'string' },
    endpoints: {
      type: 'object',
      propertyNames: {
        pattern: `^(?:${METHODS.map((method) => (method === '*' ? '\\*' : method)).join('|')})\\s+\\S`,
      },
      additionalProperties: { anyOf: [tier, rule] },
      description: 'Rules by endpoint, as in "GET /deals/{id}", "* /admin/**" or "CALL tool_name"',
    },
    default: {
      anyOf: [tier, objectOf({ read: tier, write: tier })],
      description: 'Of endpoints without a rule: reads run and writes ask by default',
    },
    fieldRestrictions: { type: 'array', items: restriction },
    rowScoping: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: scope },
    },
    delegations: objectOf({
      enabled: { type: 'boolean' },
      maxDurationDays: { type: 'number' },
      escalateConfirm: { type: 'boolean' },
    }),
    alternativeLookups: {
      type: 'array',
      items: objectOf(
        { restrictedField: text, alternativeEndpoint: text, description: { type: 'string' } },
        ['restrictedField', 'alternativeEndpoint'],
      ),
    },
  }),
})

function objectOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  }
}
