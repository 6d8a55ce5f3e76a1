import {
  defineBundle,
  type AccessRule,
  type AgentBundle,
  type Connection,
  type Json,
} from '@amodal/sdk'
import { connectionsOf, brokenConnectionsOf } from '@amodal/sdk/connections'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { withoutInvalidRules } from '../src/check-rules.ts'
import { guardAccess } from '../src/index.ts'
import { connection, rule } from './support.ts'

pluginContract(guardAccess)

const bundleWith = (...connections: readonly Connection[]): AgentBundle => ({
  ...defineBundle({ name: 'test' }),
  parts: { connections: JSON.parse(JSON.stringify(connections)) as Json },
})

describe('a rule that could never be asked', () => {
  const limit = (field: string): Partial<AccessRule> => ({
    thresholds: [{ field, above: 1, escalate: 'never' }],
  })
  test.each<readonly [string, Connection['protocol'], AccessRule]>([
    ['an unreadable path', 'rest', rule('DELETE /deals/:id', 'never')],
    ['a tool of a REST connection', 'rest', rule('CALL deals', 'never')],
    ['an endpoint of an MCP connection', 'mcp', rule('DELETE /deals/{id}', 'never')],
    ['no field of GraphQL', 'rest', rule('MUTATION create-deal', 'never')],
    ['a threshold on nothing', 'rest', rule('POST /deals', 'confirm', limit('body..amount'))],
    [
      'a threshold on a parameter that is not there',
      'rest',
      rule('POST /deals/{id}', 'confirm', limit('path.deal')),
    ],
    ['a threshold on the path of a tool', 'mcp', rule('CALL pay', 'confirm', limit('path.id'))],
  ])('%s takes its connection out', (_name, protocol, bad) => {
    const fine = connection([rule('GET /deals', 'allow')], { name: 'erp' })
    const checked = withoutInvalidRules(bundleWith(connection([bad], { protocol }), fine))
    expect(connectionsOf(checked).map(({ name }) => name)).toEqual(['erp'])
    expect(brokenConnectionsOf(checked)).toMatchObject([{ name: 'crm', kind: protocol }])
    expect(checked.issues.map(({ severity }) => severity)).toEqual(['error', 'error'])
  })

  test('is none of these', () => {
    const bundle = bundleWith(
      connection([
        rule('GET /deals/{id}', 'allow', limit('path.ID')),
        rule('* /**', 'confirm'),
        rule('QUERY *', 'allow'),
        rule('POST /files/{name}.json', 'allow', limit('body[].qty')),
      ]),
      connection([rule('CALL create_*', 'allow', limit('body.amount')), rule('* /**', 'never')], {
        name: 'mcp',
        protocol: 'mcp',
      }),
    )
    expect(withoutInvalidRules(bundle)).toBe(bundle)
  })
})
